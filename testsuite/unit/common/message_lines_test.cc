// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/message_lines.h"

#include <vector>

#include <gtest/gtest.h>

namespace tapir {
namespace {

using Lines = std::vector<std::string>;

TEST(MessageLines, ComeWhenTheyAreComplete) {
    MessageLines messages;
    Lines lines;
    const auto keep = [&lines](const std::string &line) { lines.push_back(line); };
    messages.take("one\n\ntw", keep);
    EXPECT_EQ(Lines({"one"}), lines);
    messages.take("o\nthree", keep);
    EXPECT_EQ(Lines({"one", "two"}), lines);
    messages.finish(keep);
    messages.finish(keep);
    EXPECT_EQ(Lines({"one", "two", "three"}), lines);
}

TEST(MessageLines, LongOnesComeInPieces) {
    MessageLines messages;
    Lines lines;
    const auto keep = [&lines](const std::string &line) { lines.push_back(line); };
    const std::string full(MessageLines::kLongest, 'a');
    messages.take(full + full + "b", keep);
    EXPECT_EQ(Lines({full, full}), lines);
    messages.take("c\n" + full, keep);
    messages.take("\nd\n", keep);
    EXPECT_EQ(Lines({full, full, "bc", full, "d"}), lines);
}

}  // namespace
}  // namespace tapir
