// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/module_tree.h"

#include "test_directory.h"

namespace tapir::vm {
namespace {

using testing::Test;

class Modules : public Sandbox {
  protected:
    // Paths relative to the tree, joined by blanks.
    std::string resolve(const std::vector<std::string> &names) {
        ModuleTree tree(dir_ / "m");
        auto paths = tree.resolve(names, diagnostics_);
        if (!paths) return "failed";
        std::string text;
        for (const std::string &path : *paths)
            text += (text.empty() ? "" : " ") + path.substr((dir_ / "m").string().size() + 1);
        return text;
    }
    static std::string object(const std::string &needs) {
        return std::string("\177ELF....\0license=GPL\0", 21) + std::string("\0depends=", 9) + needs +
               std::string("\0name=x\0", 8);
    }
};

TEST_F(Modules, FollowModulesDep) {
    write("m/modules.dep",
          "kernel/fs/9p/9p.ko: kernel/net/9p/9pnet.ko kernel/fs/netfs/netfs.ko\n"
          "kernel/net/9p/9pnet.ko:\n"
          "kernel/fs/netfs/netfs.ko.xz:\n"
          "kernel/net/9p/9pnet-virtio.ko: kernel/net/9p/9pnet.ko\n"
          "kernel/fs/overlayfs/overlay.ko:\n");
    EXPECT_EQ(resolve({"9pnet_virtio", "9p"}),
              "kernel/net/9p/9pnet.ko kernel/net/9p/9pnet-virtio.ko kernel/fs/netfs/netfs.ko.xz kernel/fs/9p/9p.ko");
    EXPECT_EQ(resolve({"overlay", "overlay"}), "kernel/fs/overlayfs/overlay.ko");
}

TEST_F(Modules, BuiltInNeedNoFile) {
    write("m/modules.dep", "kernel/a.ko: \n");
    write("m/modules.builtin", "kernel/drivers/virtio/virtio-pci.ko\n");
    EXPECT_EQ(resolve({"virtio_pci", "a"}), "kernel/a.ko");
}

TEST_F(Modules, ReadThemselvesWhereDepmodHasNotRun) {
    link_tool("xz");
    write("m/kernel/x/top.ko", object("mid-dle,leaf"));
    write("m/kernel/x/mid-dle.ko", object("leaf"));
    write("m/kernel/leaf.ko", object(""));
    ASSERT_EQ(system(("xz " + (dir_ / "m/kernel/x/mid-dle.ko").string()).c_str()), 0);
    EXPECT_EQ(resolve({"top"}), "kernel/leaf.ko kernel/x/mid-dle.ko.xz kernel/x/top.ko");
}

TEST_F(Modules, VmModuleMissing) {
    write("m/modules.dep", "kernel/a.ko:\n");
    EXPECT_EQ(resolve({"a", "9p"}), "failed");
    EXPECT_EQ(reported(),
              "ERROR: the kernel in DIR/m has no module 9p, without which a guest cannot reach its root file system\n");
}

TEST_F(Modules, VmModuleUnreadable) {
    write("m/a.ko.zst", "not compressed");
    EXPECT_FALSE(read_module(dir_ / "m/a.ko.zst", diagnostics_));
    play("zstd", "echo 'zstd: a.ko.zst: unsupported format' >&2; exit 1");
    EXPECT_FALSE(read_module(dir_ / "m/a.ko.zst", diagnostics_));
    EXPECT_FALSE(read_module(dir_ / "m/b.ko", diagnostics_));
    EXPECT_EQ(reported(),
              "ERROR: cannot decompress the kernel module DIR/m/a.ko.zst: install zstd\n"
              "ERROR: cannot decompress the kernel module DIR/m/a.ko.zst: zstd: a.ko.zst: unsupported format\n"
              "ERROR: cannot read the kernel module DIR/m/b.ko\n");
}

TEST(ModuleName, TakesAnyCompression) {
    EXPECT_EQ(module_name("kernel/net/nf-tables.ko.xz"), "nf_tables");
    EXPECT_EQ(module_name("x.ko"), "x");
    EXPECT_EQ(module_name("modules.dep"), "");
    EXPECT_EQ(module_name("a.ko.txt"), "");
}

}  // namespace
}  // namespace tapir::vm
