// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/header_types.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "../said.h"

namespace tapir::build {
namespace {

std::string refused(const std::string &headers, const std::string &build_dir = "/nonexistent") {
    target::Kernel kernel;
    kernel.release = "6.1.0";
    kernel.build_dir = build_dir;
    return tagged(compile_header_types(&kernel, headers, ""));
}

TEST(HeaderTypes, OnlyHeadersReachTheCompiler) {
    for (const char *text : {"", "linux/fs.h", "<>", "<linux/fs.h", "<a.h>\n#error", "<a.h> <b.h>", "<a\">", "<a\n.h>"})
        EXPECT_EQ("headers-unusable: headers are written as <linux/tcp.h>", refused(text)) << text;
}

TEST(HeaderTypes, HeadersUnusable) {
    EXPECT_EQ("headers-unusable: the headers of kernel 6.1.0 are not installed", refused("<linux/fs.h>", ""));
    EXPECT_NE("ok", refused("<linux/fs.h><linux/tcp.h>"));
}

TEST(HeaderTypes, AsProgramsSeeThem) {
    char directory[] = "/tmp/tapir-test-XXXXXX";
    ASSERT_NE(mkdtemp(directory), nullptr);
    const auto made = [&directory](const char *headers) { return compile_header_types(nullptr, headers, directory); };
    const Outcome<std::string> object = made("<stdio.h><unistd.h>");
    ASSERT_TRUE(object) << said(object);
    EXPECT_TRUE(object->starts_with(std::string(directory) + "/index/headers-")) << *object;
    EXPECT_EQ(*made("<stdio.h><unistd.h>"), *object);
    EXPECT_NE(*made("<stdio.h>"), *object);
    EXPECT_EQ(said(made("<no/such/header.h>")), "error: no/such/header.h: No such file or directory");
    std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace tapir::build
