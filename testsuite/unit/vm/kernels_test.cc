// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/kernels.h"

#include <thread>

#include "../said.h"
#include "test_directory.h"

namespace tapir::vm {
namespace {

namespace fs = std::filesystem;

constexpr char release[] = "6.9.0-1-amd64";

class Kernels : public Sandbox {
  protected:
    Kernels() {
        play("apt-cache", R"(
case "$1 $*" in
"depends "*linux-image-amd64) echo linux-image-amd64; echo "  Depends: linux-image-6.9.0-1-amd64";;
"depends "*linux-image-6.9.0-1-amd64) echo "  Depends: kmod"; echo " |Depends: linux-modules-6.9.0-1-amd64";;
"depends "*linux-headers-6.9.0-1-amd64)
    printf '  Depends: %s\n' linux-headers-6.9.0-1-common linux-kbuild-6.9 linux-compiler-gcc-12-x86;;
"show "*6.9.0-1*|"show "*linux-kbuild*) ;;
"show "*) exit 100;;
"pkgnames "*) printf '%s\n' linux-image-6.9.0-1-amd64 linux-image-6.9.0-2-amd64 linux-image-6.9.0-2-amd64-dbg \
    linux-image-5.0.0-9-amd64 linux-image-6.9.0-2-amd64-unsigned linux-image-rt-amd64 linux-headers-6.9.0-1-amd64;;
esac)");
        play("apt-get", R"(
[ "$2" = update ] && { echo update >>$D/log; exit; }
shift 2; echo "download $*" >>$D/log; sleep 0.2
for package; do echo "$package" >$package.deb; done)");
        play("dpkg-deb", R"(
if [ "$1" = --fsys-tarfile ]; then
    tree=$(mktemp -d); debug=$tree/usr/lib/debug
    mkdir -p $debug/boot $debug/lib/modules/6.9.0-1-amd64/kernel/fs
    echo v >$debug/lib/modules/6.9.0-1-amd64/vmlinux
    ln -s ../lib/modules/6.9.0-1-amd64/vmlinux $debug/boot/vmlinux-6.9.0-1-amd64
    echo e >$debug/lib/modules/6.9.0-1-amd64/kernel/fs/ext4.ko
    echo x >$debug/lib/modules/6.9.0-1-amd64/kernel/fs/xfs.ko
    echo t >$debug/lib/modules/6.9.0-1-amd64/kernel/fs/two_words.ko
    tar -c -C $tree .; rm -r $tree; exit
fi
cd "$3"; case $(basename "$2" .deb) in
linux-image-*) mkdir -p boot lib/modules/6.9.0-1-amd64; echo k >boot/vmlinuz-6.9.0-1-amd64;;
linux-modules-*)
    mkdir -p lib/modules/6.9.0-1-amd64/kernel/fs
    for name in ext4 xfs other two_words; do echo $name >lib/modules/6.9.0-1-amd64/kernel/fs/$name.ko.xz; done;;
linux-headers-*-amd64)
    mkdir -p usr/src/linux-headers-6.9.0-1-amd64 lib/modules/6.9.0-1-amd64
    ln -s /usr/src/linux-headers-6.9.0-1-amd64 lib/modules/6.9.0-1-amd64/build
    ln -s ../../lib/linux-kbuild-6.9/scripts usr/src/linux-headers-6.9.0-1-amd64/scripts
    echo >usr/src/linux-headers-6.9.0-1-amd64/Module.symvers
    echo 'include /usr/src/linux-headers-6.9.0-1-common/Makefile' >usr/src/linux-headers-6.9.0-1-amd64/Makefile;;
linux-headers-*-common)
    mkdir -p usr/src/linux-headers-6.9.0-1-common
    echo 'all: ; @echo common in $(CURDIR)' >usr/src/linux-headers-6.9.0-1-common/Makefile;;
linux-kbuild-*) mkdir -p usr/lib/linux-kbuild-6.9/scripts; echo >usr/lib/linux-kbuild-6.9/scripts/tool;;
esac)");
        request_.release = release;
        request_.roots = {dir_ / "root"};
    }
    std::optional<KernelFiles> ensure() { return ensure_kernel(request_, diagnostics_); }
    std::string place() { return dir_ / "cache/kernels" / release; }
    // Temporary folders of the cache that were left behind.
    int leftovers() {
        int count = 0;
        for (const auto &entry : fs::directory_iterator(dir_ / "cache/kernels"))
            count += entry.path().filename().string().starts_with(".fetch");
        return count;
    }

    KernelRequest request_;
};

TEST_F(Kernels, InstalledOnesAreUsedInPlace) {
    write(std::string("root/boot/vmlinuz-") + release, "k");
    fs::create_directories(dir_ / "root/lib/modules" / release / "kernel");
    auto kernel = ensure();
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->image, dir_ / "root/boot" / (std::string("vmlinuz-") + release));
    EXPECT_EQ(kernel->modules, dir_ / "root/lib/modules" / release);
    EXPECT_EQ(read("log"), "");
}

TEST_F(Kernels, OthersAreFetchedOnce) {
    ASSERT_TRUE(ensure());
    auto kernel = ensure();
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->image, place() + "/boot/vmlinuz-" + release);
    EXPECT_EQ(kernel->modules, place() + "/lib/modules/" + release);
    EXPECT_EQ(read("log"), "download linux-image-6.9.0-1-amd64 linux-modules-6.9.0-1-amd64\n");
    EXPECT_EQ(leftovers(), 0);
}

// As Debian has it since Linux 7.
TEST_F(Kernels, TheImageMayBeInAPackageOfItsOwn) {
    play("apt-cache", R"(
case "$1 $*" in
"depends "*linux-image-6.9.0-1-amd64) printf '  Depends: %s\n' linux-base linux-binary-6.9.0-1-amd64 linux-modules-6.9.0-1-amd64;;
"show "*6.9.0-1*) ;;
*) exit 100;;
esac)");
    play("dpkg-deb", R"(
cd "$3"; case $(basename "$2" .deb) in
linux-binary-*) mkdir -p usr/lib/modules/6.9.0-1-amd64; echo k >usr/lib/modules/6.9.0-1-amd64/vmlinuz;;
linux-modules-*) mkdir -p usr/lib/modules/6.9.0-1-amd64/kernel;;
linux-headers-*-amd64)
    mkdir -p usr/src/linux-headers-6.9.0-1-amd64 usr/lib/modules/6.9.0-1-amd64
    echo >usr/src/linux-headers-6.9.0-1-amd64/Module.symvers
    ln -s /usr/src/linux-headers-6.9.0-1-amd64 usr/lib/modules/6.9.0-1-amd64/build;;
esac)");
    request_.want_headers = true;
    auto kernel = ensure();
    ASSERT_TRUE(kernel);
    // Its packages rely on /lib being a link.
    EXPECT_EQ(fs::read_symlink(place() + "/lib"), "usr/lib");
    EXPECT_EQ(kernel->image, place() + "/lib/modules/" + release + "/vmlinuz");
    EXPECT_EQ(kernel->modules, place() + "/lib/modules/" + release);
    EXPECT_EQ(kernel->build_dir, place() + "/usr/src/linux-headers-" + release);
}

TEST_F(Kernels, WhatAKilledRunLeftIsRemoved) {
    write("cache/kernels/.fetch-6.9.0-1-amd64.abc/root/file", "x");
    ASSERT_TRUE(ensure());
    EXPECT_EQ(leftovers(), 0);
}

TEST_F(Kernels, ParallelRunsFetchOnce) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([this] {
            Diagnostics own;
            EXPECT_TRUE(ensure_kernel(request_, own));
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(read("log"), "download linux-image-6.9.0-1-amd64 linux-modules-6.9.0-1-amd64\n");
}

TEST_F(Kernels, PackagesNotRelocated) {
    EXPECT_EQ(tagged(relocate_packages((dir_ / "none").string())),
              "packages-not-relocated: " + (dir_ / "none").string() + ": No such file or directory");
}

TEST_F(Kernels, HeadersWorkWhereTheyAreUnpacked) {
    ASSERT_TRUE(ensure());
    request_.want_headers = true;
    auto kernel = ensure();
    ASSERT_TRUE(kernel) << reported();
    EXPECT_EQ(kernel->build_dir, place() + "/usr/src/linux-headers-" + release);
    EXPECT_EQ(fs::canonical(place() + "/lib/modules/" + release + "/build"), kernel->build_dir);
    EXPECT_TRUE(fs::exists(kernel->build_dir + "/scripts/tool"));
    EXPECT_TRUE(fs::exists(kernel->modules + "/kernel")) << "the image's modules are still there";
    EXPECT_EQ(system(("PATH=/usr/bin:/bin make -s -C " + kernel->build_dir + " >" + (dir_ / "made").string()).c_str()),
              0);
    EXPECT_EQ(read("made"), "common in " + kernel->build_dir + "\n");
    EXPECT_EQ(read("log"),
              "download linux-image-6.9.0-1-amd64 linux-modules-6.9.0-1-amd64\n"
              "download linux-headers-6.9.0-1-amd64 linux-headers-6.9.0-1-common linux-kbuild-6.9\n");
}

TEST_F(Kernels, OfDebugInformationOnlyWhatIsWantedIsKept) {
    ASSERT_TRUE(ensure());
    request_.want_debug = true;
    request_.debug_modules = {"ext4"};
    auto kernel = ensure();
    ASSERT_TRUE(kernel) << reported();
    EXPECT_EQ(kernel->debug, place() + "/usr/lib/debug/boot/vmlinux-" + release);
    const std::string modules = place() + "/usr/lib/debug/lib/modules/" + release + "/kernel/fs/";
    EXPECT_TRUE(fs::exists(modules + "ext4.ko"));
    EXPECT_FALSE(fs::exists(modules + "xfs.ko"));
    ASSERT_TRUE(ensure());
    const std::string twice =
        "download linux-image-6.9.0-1-amd64 linux-modules-6.9.0-1-amd64\n"
        "download linux-image-6.9.0-1-amd64-dbg\n";
    EXPECT_EQ(read("log"), twice);
    // A later request for another module.
    request_.debug_modules = {"ext4", "xfs"};
    ASSERT_TRUE(ensure());
    EXPECT_TRUE(fs::exists(modules + "xfs.ko"));
    ASSERT_TRUE(ensure());
    EXPECT_EQ(read("log"), twice + "download linux-image-6.9.0-1-amd64-dbg\n");
    EXPECT_EQ(reported(), "");
}

// stap looks for a module where the vmlinux is installed, and in the cache.
TEST_F(Kernels, DebugInformationOfModulesIsFetchedToAnInstalledVmlinux) {
    ASSERT_TRUE(ensure());
    const std::string vmlinux = std::string("root/usr/lib/debug/boot/vmlinux-") + release;
    write(vmlinux, "installed");
    write(place() + "/lib/modules/" + release + "/modules.builtin", "kernel/crypto/aes-generic.ko\n");
    request_.want_debug = true;
    request_.debug_modules = {"xfs", "two-words", "aes_generic"};
    for (int i = 0; i < 2; ++i) {
        auto kernel = ensure();
        ASSERT_TRUE(kernel) << reported();
        EXPECT_EQ(kernel->debug, dir_ / vmlinux);
        EXPECT_TRUE(fs::exists(place() + "/usr/lib/debug/lib/modules/" + release + "/kernel/fs/xfs.ko"));
        EXPECT_TRUE(fs::exists(place() + "/usr/lib/debug/lib/modules/" + release + "/kernel/fs/two_words.ko"));
        EXPECT_FALSE(fs::exists(place() + "/usr/lib/debug/boot")) << "it is installed";
    }
    EXPECT_EQ(read("log"),
              "download linux-image-6.9.0-1-amd64 linux-modules-6.9.0-1-amd64\n"
              "download linux-image-6.9.0-1-amd64-dbg\n");
    EXPECT_EQ(reported(), "");
}

// Here the installed package lacks files that its list names.
TEST_F(Kernels, ModulesAreKnownByTheirList) {
    write(std::string("root/boot/vmlinuz-") + release, "k");
    fs::create_directories(dir_ / "root/lib/modules" / release / "kernel");
    write(std::string("root/lib/modules/") + release + "/modules.order", "kernel/fs/ext4.ko\nkernel/fs/xfs.ko\n");
    write(std::string("root/usr/lib/debug/boot/vmlinux-") + release, "installed");
    request_.want_debug = true;
    request_.debug_modules = {"xfs"};
    ASSERT_TRUE(ensure()) << reported();
    EXPECT_TRUE(fs::exists(place() + "/usr/lib/debug/lib/modules/" + release + "/kernel/fs/xfs.ko"));
}

TEST_F(Kernels, ModulesWithoutDebugInformationAreNamed) {
    request_.want_debug = true;
    request_.debug_modules = {"ext", "ext4", "other"};
    const auto kernel = ensure();
    ASSERT_TRUE(kernel) << reported();
    EXPECT_EQ(kernel->undescribed,
              (std::vector<std::string>{"kernel 6.9.0-1-amd64 has no module 'ext' (near: ext4 xfs two_words)",
                                        "kernel 6.9.0-1-amd64 has no debug information of module 'other'"}));
}

TEST_F(Kernels, TheDistributionsNewestIsRemembered) {
    request_.release = "";
    ASSERT_TRUE(ensure());
    play("apt-cache", "exit 1");
    auto kernel = ensure();
    ASSERT_TRUE(kernel);
    EXPECT_EQ(kernel->release, release);
}

TEST_F(Kernels, VmPackageToolMissing) {
    fs::remove(dir_ / "bin/dpkg-deb");
    EXPECT_FALSE(ensure());
    EXPECT_EQ(reported(),
              "ERROR: kernels are fetched with apt, but this machine has no dpkg-deb; install the kernel's "
              "packages with the distribution's own tool and run again\n");
}

TEST_F(Kernels, VmPackageUnknown) {
    request_.release = "6.9.0-3-amd64";
    EXPECT_FALSE(ensure());
    request_.release = "../etc";
    EXPECT_FALSE(ensure());
    play("apt-cache", "exit 100");
    request_.release = "";
    EXPECT_FALSE(ensure());
    EXPECT_EQ(
        reported(),
        "ERROR: apt knows no package linux-image-6.9.0-3-amd64 (near: linux-image-6.9.0-2-amd64 "
        "linux-image-6.9.0-1-amd64 linux-image-5.0.0-9-amd64)\n"
        "ERROR: '../etc' is not a kernel release; see `uname -r`\n"
        "ERROR: apt knows neither linux-image-amd64 nor linux-image-generic, so there is no kernel to choose; run "
        "apt-get update as root, or name an installed kernel\n");
    EXPECT_EQ(read("log"), geteuid() == 0 ? "update\nupdate\n" : "");
}

TEST_F(Kernels, VmDownloadFailed) {
    play("apt-get", "[ \"$2\" = update ] && exit 1; echo x >part.deb; echo 'E: Failed to fetch' >&2; exit 100");
    EXPECT_FALSE(ensure());
    EXPECT_EQ(
        reported(),
        "ERROR: apt-get download linux-image-6.9.0-1-amd64 linux-modules-6.9.0-1-amd64 failed: E: Failed to fetch "
        "(are the package indexes current and the network there?)\n");
    EXPECT_EQ(leftovers(), 0);
    EXPECT_FALSE(fs::exists(place()));
}

TEST_F(Kernels, VmUnpackFailed) {
    play("dpkg-deb", "echo 'dpkg-deb: error: not a Debian format archive' >&2; exit 2");
    EXPECT_FALSE(ensure());
    play("dpkg-deb", "");
    EXPECT_FALSE(ensure());
    std::string text = reported();
    EXPECT_TRUE(
        text ==
            "ERROR: cannot unpack linux-image-6.9.0-1-amd64.deb: dpkg-deb: error: not a Debian format archive\n"
            "ERROR: the packages of kernel 6.9.0-1-amd64 do not contain what they should: "
            "DIR/cache/kernels/6.9.0-1-amd64\n" ||
        text ==
            "ERROR: cannot unpack linux-modules-6.9.0-1-amd64.deb: dpkg-deb: error: not a Debian format archive\n"
            "ERROR: the packages of kernel 6.9.0-1-amd64 do not contain what they should: "
            "DIR/cache/kernels/6.9.0-1-amd64\n")
        << text;
    EXPECT_EQ(leftovers(), 0);
}

TEST_F(Kernels, VmCacheUnwritable) {
    write("cache", "in the way");
    EXPECT_FALSE(ensure());
    EXPECT_EQ(reported(),
              "ERROR: cannot write to the cache directory DIR/cache/kernels: Not a directory; free some space "
              "or name another with TAPIR_CACHE_DIR\n");
}

TEST(NearestNames, PreferTheLongestCommonBeginning) {
    EXPECT_EQ(nearest_names("ab3", {"b", "ab1", "a", "ab2"}, 2), (std::vector<std::string>{"ab2", "ab1"}));
    EXPECT_TRUE(nearest_names("x", {}, 3).empty());
}

}  // namespace
}  // namespace tapir::vm
