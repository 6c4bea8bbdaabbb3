// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/header_types.h"

#include <gtest/gtest.h>

namespace tapir::build {
namespace {

std::string refused(const std::string &headers, const std::string &build_dir = "/nonexistent") {
    target::Kernel kernel;
    kernel.release = "6.1.0";
    kernel.build_dir = build_dir;
    std::string why;
    EXPECT_EQ("", compile_header_types(kernel, headers, "", why));
    return why;
}

TEST(HeaderTypes, OnlyHeadersReachTheCompiler) {
    for (const char *text : {"", "linux/fs.h", "<>", "<linux/fs.h", "<a.h>\n#error", "<a.h> <b.h>", "<a\">", "<a\n.h>"})
        EXPECT_EQ("headers are written as <linux/tcp.h>", refused(text)) << text;
}

TEST(HeaderTypes, SaysWhatIsMissing) {
    EXPECT_EQ("the headers of kernel 6.1.0 are not installed", refused("<linux/fs.h>", ""));
    EXPECT_NE("", refused("<linux/fs.h><linux/tcp.h>"));
}

}  // namespace
}  // namespace tapir::build
