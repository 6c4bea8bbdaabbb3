// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/kernel.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "target/cache_dir.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;

class KernelTest : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "tapir-kernel-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        top_ = fs::canonical(pattern);
        options_.root = top_ / "root";
        options_.cache = top_ / "cache";
        options_.running_release = "6.1.0-9-test";
        options_.machine = "x86_64";
        fs::create_directories(top_ / "root");
    }
    void TearDown() override { fs::remove_all(top_); }

    static void write(const fs::path &path, const std::string &text) {
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }

    static void make_tree(const fs::path &tree, const std::string &release) {
        write(tree / "Makefile", "# kernel\n");
        write(tree / ".config",
              "# header\nCONFIG_X86_64=y\nCONFIG_HZ=250\nCONFIG_CC_VERSION_TEXT=\"gcc-12 (Debian) 12.2.0\"\n");
        write(tree / "include/generated/autoconf.h", "");
        write(tree / "include/config/kernel.release", release + "\n");
        write(tree / "Module.symvers", "");
        write(tree / "scripts/basic/fixdep", "");
        write(tree / "scripts/mod/modpost", "");
    }

    std::optional<Kernel> find(const std::string &which) { return find_kernel(which, options_, diagnostics_); }

    fs::path top_;
    FindOptions options_;
    Diagnostics diagnostics_;
};

TEST_F(KernelTest, FindsTheRunningKernel) {
    make_tree(top_ / "root/usr/src/linux-headers-6.1.0-9-test", "6.1.0-9-test");
    fs::create_directories(top_ / "root/lib/modules/6.1.0-9-test");
    fs::create_symlink("../../../usr/src/linux-headers-6.1.0-9-test", top_ / "root/lib/modules/6.1.0-9-test/build");
    write(top_ / "root/lib/modules/6.1.0-9-test/modules.dep", "");
    write(top_ / "root/boot/vmlinuz-6.1.0-9-test", "image");
    auto kernel = find("");
    ASSERT_TRUE(kernel) << render_all(diagnostics_, true);
    EXPECT_EQ(kernel->release, "6.1.0-9-test");
    EXPECT_EQ(kernel->version(), "6.1.0");
    EXPECT_EQ(kernel->arch, "x86_64");
    EXPECT_EQ(kernel->build_dir, (top_ / "root/usr/src/linux-headers-6.1.0-9-test").string());
    EXPECT_EQ(kernel->image, (top_ / "root/boot/vmlinuz-6.1.0-9-test").string());
    EXPECT_EQ(kernel->modules, (top_ / "root/lib/modules/6.1.0-9-test").string());
    // The headers alone have no modules.
    fs::remove(top_ / "root/lib/modules/6.1.0-9-test/modules.dep");
    EXPECT_EQ(find("6.1.0-9-test")->modules, "");
    EXPECT_TRUE(kernel->is_running);
    EXPECT_EQ(kernel->config_value("CONFIG_HZ"), "250");
    EXPECT_EQ(kernel->config_value("CONFIG_CC_VERSION_TEXT"), "gcc-12 (Debian) 12.2.0");
    EXPECT_EQ(kernel->config_value("CONFIG_NOT_SET"), "");
}

TEST_F(KernelTest, FindsABuildDirectory) {
    make_tree(top_ / "anywhere", "5.10.0-mine");
    auto kernel = find(top_ / "anywhere");
    ASSERT_TRUE(kernel) << render_all(diagnostics_, true);
    EXPECT_EQ(kernel->release, "5.10.0-mine");
    EXPECT_FALSE(kernel->is_running);
    // The release of uname, not the version of Debian's sources.
    write(top_ / "anywhere/include/generated/utsrelease.h", "#define UTS_RELEASE \"5.10.0-46-amd64\"\n");
    EXPECT_EQ(find(top_ / "anywhere")->release, "5.10.0-46-amd64");
}

TEST_F(KernelTest, TakesTheImageFromTheCacheWhenOnlyHeadersAreInstalled) {
    make_tree(top_ / "root/usr/src/linux-headers-6.1.0-9-test", "6.1.0-9-test");
    write(fs::path(options_.cache) / "kernels/6.1.0-9-test/boot/vmlinuz-6.1.0-9-test", "image");
    auto kernel = find("6.1.0-9-test");
    ASSERT_TRUE(kernel) << render_all(diagnostics_, true);
    EXPECT_EQ(kernel->build_dir, (top_ / "root/usr/src/linux-headers-6.1.0-9-test").string());
    EXPECT_EQ(kernel->image, options_.cache + "/kernels/6.1.0-9-test/boot/vmlinuz-6.1.0-9-test");
}

TEST_F(KernelTest, FindsUnpackedPackagesBehindLinks) {
    make_tree(top_ / "elsewhere/6.1.0-9-test/usr/src/linux-headers-6.1.0-9-test", "6.1.0-9-test");
    fs::create_directories(options_.cache);
    fs::create_symlink(top_ / "elsewhere", fs::path(options_.cache) / "kernels");
    auto kernel = find("6.1.0-9-test");
    ASSERT_TRUE(kernel) << render_all(diagnostics_, true);
    EXPECT_EQ(kernel->build_dir, (top_ / "elsewhere/6.1.0-9-test/usr/src/linux-headers-6.1.0-9-test").string());
}

// Debian's packages unpacked below the cache: the absolute paths in them are made to lead there.
TEST_F(KernelTest, AdoptsUnpackedPackages) {
    fs::path root = top_ / "cache/kernels/7.2.1-x";
    fs::path tree = root / "usr/src/linux-headers-7.2.1-x";
    make_tree(tree, "7.2.1-x");
    write(root / "usr/src/linux-headers-7.2.1-common/Makefile", "all:\n");
    write(tree / "Makefile",
          "KBUILD_OUTPUT=/usr/src/linux-headers-7.2.1-x\ninclude /usr/src/linux-headers-7.2.1-common/Makefile\n");
    fs::create_directories(root / "lib/modules/7.2.1-x");
    fs::create_symlink("/usr/src/linux-headers-7.2.1-x", root / "lib/modules/7.2.1-x/build");
    for (int round = 0; round < 2; round++) {
        auto kernel = find("7.2.1-x");
        ASSERT_TRUE(kernel) << render_all(diagnostics_, true);
        EXPECT_EQ(kernel->build_dir, tree.string());
        EXPECT_EQ(kernel->root, root.string());
        std::ostringstream makefile;
        makefile << std::ifstream(tree / "Makefile").rdbuf();
        EXPECT_EQ(makefile.str(),
                  "tapir_root := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))../../..)\n"
                  "KBUILD_OUTPUT=$(tapir_root)/usr/src/linux-headers-7.2.1-x\n"
                  "include $(tapir_root)/usr/src/linux-headers-7.2.1-common/Makefile\n");
    }
}

TEST_F(KernelTest, NeedsNoBuildTreeWhenToldSo) {
    options_.require_build_tree = false;
    write(top_ / "root/boot/config-6.1.0-9-test", "CONFIG_HZ=100\n");
    auto kernel = find("");
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->build_dir, "");
    EXPECT_EQ(kernel->config_value("CONFIG_HZ"), "100");
}

TEST_F(KernelTest, BuildTreeMissing) {
    write(top_ / "root/etc/os-release", "ID=debian\n");
    EXPECT_FALSE(find("6.1.0-99-amd64"));
    write(top_ / "root/etc/os-release", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n");
    EXPECT_FALSE(find("5.14.0-1.el9.x86_64"));
    write(top_ / "root/etc/os-release", "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n");
    EXPECT_FALSE(find("6.4.0-150600.21-default"));
    write(top_ / "root/etc/os-release", "ID=arch\n");
    EXPECT_FALSE(find("6.9.1-arch1-1"));
    EXPECT_FALSE(find("6.6.30-1-lts"));
    fs::remove(top_ / "root/etc/os-release");
    EXPECT_FALSE(find(""));
    EXPECT_FALSE(find("/nowhere/at/all"));
    EXPECT_FALSE(find("../escape"));
    EXPECT_EQ(render_all(diagnostics_, true),
              "ERROR: no build tree for kernel 6.1.0-99-amd64 on this machine [man error::headers]; install the "
              "package linux-headers-6.1.0-99-amd64 (apt-get install linux-headers-6.1.0-99-amd64), name a build tree "
              "with -r /PATH, or try the script in a virtual machine with --vm\n"
              "ERROR: no build tree for kernel 5.14.0-1.el9.x86_64 on this machine [man error::headers]; install the "
              "package kernel-devel-5.14.0-1.el9.x86_64 (dnf install kernel-devel-5.14.0-1.el9.x86_64), name a build "
              "tree with -r /PATH, or try the script in a virtual machine with --vm\n"
              "ERROR: no build tree for kernel 6.4.0-150600.21-default on this machine [man error::headers]; install "
              "the package kernel-default-devel (zypper install kernel-default-devel), name a build tree with -r "
              "/PATH, or try the script in a virtual machine with --vm\n"
              "ERROR: no build tree for kernel 6.9.1-arch1-1 on this machine [man error::headers]; install the package "
              "linux-headers (pacman -S linux-headers), name a build tree with -r /PATH, or try the script in a "
              "virtual machine with --vm\n"
              "ERROR: no build tree for kernel 6.6.30-1-lts on this machine [man error::headers]; install the package "
              "linux-lts-headers (pacman -S linux-lts-headers), name a build tree with -r /PATH, or try the script in "
              "a virtual machine with --vm\n"
              "ERROR: no build tree for kernel 6.1.0-9-test on this machine [man error::headers]; install the package "
              "linux-headers-6.1.0-9-test (Debian, Ubuntu: apt-get install linux-headers-6.1.0-9-test) or "
              "kernel-devel-6.1.0-9-test (Fedora, RHEL: dnf install kernel-devel-6.1.0-9-test), name a build tree with "
              "-r /PATH, or try the script in a virtual machine with --vm\n"
              "ERROR: -r /nowhere/at/all: No such file or directory\n"
              "ERROR: -r ../escape: neither a kernel release nor an absolute path of a build tree\n");
}

// No package can be named for a kernel of another distribution, as a container's is.
TEST_F(KernelTest, BuildTreeMissingInAContainer) {
    write(top_ / "root/etc/os-release", "ID=fedora\n");
    EXPECT_FALSE(find("6.1.0-99-amd64"));
    write(top_ / "root/etc/os-release", "ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n");
    EXPECT_FALSE(find("6.1.0-99-amd64"));
    EXPECT_EQ(render_all(diagnostics_, true),
              "ERROR: no build tree for kernel 6.1.0-99-amd64 on this machine [man error::headers], and the name "
              "6.1.0-99-amd64 is not one of this distribution's kernels (a container runs on its host's kernel); name "
              "its build tree with -r /PATH, or try the script in a virtual machine with --vm\n"
              "ERROR: no build tree for kernel 6.1.0-99-amd64 on this machine [man error::headers], and the name "
              "6.1.0-99-amd64 is not one of SUSE's kernels (a container runs on its host's kernel); name its build "
              "tree with -r /PATH, or try the script in a virtual machine with --vm\n");
}

TEST_F(KernelTest, BuildTreeIncomplete) {
    write(top_ / "root/etc/os-release", "ID=debian\n");
    fs::path tree = top_ / "root/usr/src/linux-headers-6.1.0-9-test";
    make_tree(tree, "6.1.0-9-test");
    fs::remove(tree / "scripts/mod/modpost");
    EXPECT_FALSE(find(""));
    EXPECT_FALSE(find(tree));
    EXPECT_EQ(
        render_all(diagnostics_, true),
        "ERROR: the build tree of kernel 6.1.0-9-test in " + tree.string() +
            " is incomplete, scripts/mod/modpost is missing; install the package linux-headers-6.1.0-9-test (apt-get "
            "install linux-headers-6.1.0-9-test) again, or give another tree with -r /PATH\n"
            "ERROR: -r " +
            tree.string() +
            ": not a prepared kernel build tree, scripts/mod/modpost is missing; in kernel sources run `make "
            "modules_prepare` (and `make modules` for Module.symvers), or name the directory of a kernel headers "
            "package\n");
}

TEST(CacheDirTest, FollowsTheEnvironment) {
    setenv("HOME", "/home/u", 1);
    for (const char *name : {"TAPIR_CACHE_DIR", "SYSTEMTAP_DIR", "XDG_CACHE_HOME"})
        unsetenv(name);
    EXPECT_EQ(cache_dir(), "/home/u/.cache/tapir");
    setenv("XDG_CACHE_HOME", "/x", 1);
    EXPECT_EQ(cache_dir(), "/x/tapir");
    setenv("SYSTEMTAP_DIR", "/s", 1);
    EXPECT_EQ(cache_dir(), "/s/tapir");
    setenv("TAPIR_CACHE_DIR", "/t", 1);
    EXPECT_EQ(cache_dir(), "/t");
}

}  // namespace
}  // namespace tapir::target
