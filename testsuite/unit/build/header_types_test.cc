// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/header_types.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace tapir::build {
namespace {

std::string refused(const std::string &headers, const std::string &build_dir = "/nonexistent") {
    target::Kernel kernel;
    kernel.release = "6.1.0";
    kernel.build_dir = build_dir;
    std::string why;
    EXPECT_EQ("", compile_header_types(&kernel, headers, "", why));
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

TEST(HeaderTypes, AsProgramsSeeThem) {
    char directory[] = "/tmp/tapir-test-XXXXXX";
    ASSERT_NE(mkdtemp(directory), nullptr);
    std::string why;
    const std::string object = compile_header_types(nullptr, "<stdio.h><unistd.h>", directory, why);
    EXPECT_EQ(why, "");
    EXPECT_TRUE(object.starts_with(std::string(directory) + "/index/headers-")) << object;
    EXPECT_EQ(compile_header_types(nullptr, "<stdio.h><unistd.h>", directory, why), object);
    EXPECT_NE(compile_header_types(nullptr, "<stdio.h>", directory, why), object);
    EXPECT_EQ(compile_header_types(nullptr, "<no/such/header.h>", directory, why), "");
    EXPECT_EQ(why, "error: no/such/header.h: No such file or directory");
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace tapir::build
