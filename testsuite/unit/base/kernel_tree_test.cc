// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/kernel_tree.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "common/files.h"

namespace tapir {
namespace {

namespace fs = std::filesystem;

class KernelTreeTest : public testing::Test {
  protected:
    void SetUp() override {
        root_ = *make_directory(fs::temp_directory_path(), "tapir-tree-");
        fs::create_directories(build());
        fs::create_directories(root_ + "/usr/src/linux-headers-1-common/include/linux");
        EXPECT_TRUE(write_file(root_ + "/usr/src/linux-headers-1-common/include/linux/syscalls.h", "\n"));
    }
    void TearDown() override { fs::remove_all(root_); }
    std::string build() const { return root_ + "/usr/src/linux-headers-1-x"; }
    std::string found() const {
        const std::string tree = source_tree(build(), "include/linux/syscalls.h");
        return tree.empty() ? "" : fs::canonical(tree).filename().string();
    }
    std::string root_;
};

TEST_F(KernelTreeTest, RelocatesPathsOfPackages) {
    std::string makefile =
        "A=/usr/src/linux-headers-1-x\ninclude /usr/src/linux-headers-1-common/Makefile\nB=/usr/share\n";
    EXPECT_TRUE(relocate_makefile(makefile));
    EXPECT_EQ(makefile,
              "tapir_root := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../../..)\n"
              "A=$(tapir_root)/usr/src/linux-headers-1-x\n"
              "include $(tapir_root)/usr/src/linux-headers-1-common/Makefile\nB=/usr/share\n");
    EXPECT_FALSE(relocate_makefile(makefile)) << makefile;
}

TEST_F(KernelTreeTest, FindsTheCommonTree) {
    EXPECT_EQ(found(), "");
    for (const std::string &common : {root_, std::string("$(tapir_root)")}) {
        EXPECT_TRUE(
            write_file(build() + "/Makefile", "x := y\ninclude nothing.mk\ninclude /no/such/Makefile\ninclude " +
                                                  common + "/usr/src/linux-headers-1-common/Makefile\n"));
        EXPECT_EQ(found(), "linux-headers-1-common") << common;
    }
    EXPECT_TRUE(write_file(build() + "/Makefile", "include ../linux-headers-1-common/Makefile\n"));
    EXPECT_EQ(found(), "linux-headers-1-common");
    EXPECT_TRUE(write_file(build() + "/Makefile", "\n"));
    fs::create_directory_symlink("../linux-headers-1-common", build() + "/source");
    EXPECT_EQ(found(), "linux-headers-1-common");
    fs::create_directories(build() + "/include/linux");
    EXPECT_TRUE(write_file(build() + "/include/linux/syscalls.h", "\n"));
    EXPECT_EQ(found(), "linux-headers-1-x");
}

}  // namespace
}  // namespace tapir
