// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/distribution.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tapir::target {
namespace {

namespace fs = std::filesystem;

class DistributionTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-distribution-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
    }
    void TearDown() override { fs::remove_all(root_); }
    void is(const std::string &release_file) const {
        fs::create_directories(root_ + "/etc");
        std::ofstream(root_ + "/etc/os-release") << release_file;
    }
    std::string root_;
};

TEST_F(DistributionTest, Debian) {
    is("NAME=x\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\n");
    EXPECT_EQ(install_headers(root_, "6.1-a"),
              "install the package linux-headers-6.1-a (apt-get install linux-headers-6.1-a)");
    EXPECT_EQ(install_debug_information(root_, "6.1-a"),
              "install the package linux-image-6.1-a-dbg (apt-get install linux-image-6.1-a-dbg)");
    EXPECT_EQ(install_program(root_, "gcc-12"), "install the package gcc-12 (apt-get install gcc-12)");
}

TEST_F(DistributionTest, Others) {
    is("ID=fedora\n");
    EXPECT_EQ(install_debug_information(root_, "6.9.1-200.fc40.x86_64"),
              "install the package kernel-debuginfo-6.9.1-200.fc40.x86_64 (dnf debuginfo-install "
              "kernel-debuginfo-6.9.1-200.fc40.x86_64)");
    EXPECT_EQ(install_program(root_, "gcc-14"), "install the package gcc (dnf install gcc)");
    is("ID=\"opensuse-leap\"\n");
    EXPECT_EQ(install_headers(root_, "6.4.0-1-default"),
              "install the package kernel-default-devel (zypper install kernel-default-devel)");
    EXPECT_EQ(install_program(root_, "gcc-13"), "install the package gcc13 (zypper install gcc13)");
    is("ID=arch\n");
    EXPECT_EQ(install_headers(root_, "6.9.1-arch1-1"), "install the package linux-headers (pacman -S linux-headers)");
    EXPECT_EQ(install_headers(root_, "6.9.1-1-zen"),
              "install the package linux-zen-headers (pacman -S linux-zen-headers)");
    EXPECT_EQ(install_debug_information(root_, "6.9.1-1-zen"),
              "install the debug information of the distribution's kernel 6.9.1-1-zen");
    is("ID=alpine\n");
    EXPECT_EQ(install_program(root_, "gcc"), "install the package gcc");
}

// A kernel of another distribution, or of none, has no package.
TEST_F(DistributionTest, KernelsOfOthers) {
    is("ID=fedora\n");
    EXPECT_EQ(no_headers_package(root_, "6.9.1-200.fc40.x86_64"), "");
    EXPECT_EQ(no_headers_package(root_, "6.18.44-fc-v782"),
              "the name 6.18.44-fc-v782 is not one of this distribution's kernels");
    is("ID=\"opensuse-leap\"\n");
    EXPECT_EQ(no_headers_package(root_, "6.4.0-1-default"), "");
    EXPECT_EQ(no_headers_package(root_, "6.1.0-44-amd64"), "the name 6.1.0-44-amd64 is not one of SUSE's kernels");
    is("ID=arch\n");
    EXPECT_EQ(no_headers_package(root_, "6.9.1-arch1-1"), "");
    EXPECT_EQ(no_headers_package(root_, "6.1.0-44-amd64"),
              "the name 6.1.0-44-amd64 is not one of Arch Linux's kernels");
    // There is no message if no index has the answer.
    is("ID=debian\n");
    EXPECT_EQ(no_headers_package(root_, "6.18.44-fc-v782"), "");
    is("ID=alpine\n");
    EXPECT_EQ(no_headers_package(root_, "6.18.44-fc-v782"), "");
}

// This machine's own index decides; a kernel that was built by hand is in none.
TEST(Distribution, AptKnowsNoPackageOfAKernelBuiltByHand) {
    const bool has_index = std::system("apt-cache pkgnames linux- 2>/dev/null | grep -q .") == 0;
    const std::string name = "linux-image-6.1.0-built-by-hand-dbg";
    EXPECT_EQ(install_debug_information("/", "6.1.0-built-by-hand"),
              has_index ? "get it from where this kernel comes from, as apt knows no package " + name
                        : "install the package " + name + " (apt-get install " + name + ")");
}

}  // namespace
}  // namespace tapir::target
