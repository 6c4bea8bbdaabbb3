// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/base64.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

// The vectors of RFC 4648, section 10.
TEST(Base64, BothWays) {
    const std::pair<const char *, const char *> pairs[] = {{"", ""},
                                                           {"f", "Zg=="},
                                                           {"fo", "Zm8="},
                                                           {"foo", "Zm9v"},
                                                           {"foob", "Zm9vYg=="},
                                                           {"fooba", "Zm9vYmE="},
                                                           {"foobar", "Zm9vYmFy"}};
    for (const auto &[bytes, text] : pairs) {
        EXPECT_EQ(to_base64(bytes), text);
        EXPECT_EQ(from_base64(text), bytes);
    }
    std::string all;
    for (int byte = 0; byte < 256; ++byte)
        all += static_cast<char>(byte);
    EXPECT_EQ(from_base64(to_base64(all)), all);
}

TEST(Base64, RefusesWhatIsNone) {
    for (const char *text :
         {"Z", "Zg", "Zg=", "Zg==Zg==", "====", "=", "Z===", "Zm 9v", " Zm9", "Zm9\n", "Zm9v\n\n\n\n", "Zm-_"})
        EXPECT_EQ(from_base64(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tapir
