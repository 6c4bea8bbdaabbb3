// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel_names.h"

#include <gtest/gtest.h>

#include "../trust/authority.h"

namespace tapir::staprun {
namespace {

TEST(StaprunKernelNames, ListsOfTheKernelsModules) {
    constexpr char list[] =
        "kernel/drivers/block/loop.ko:\n"
        "kernel/drivers/net/dummy-net.ko.xz: kernel/lib/other.ko kernel/net/more.ko\n"
        "tapir/approved.ko: kernel/lib/other.ko\n"
        "systemtap/older.ko:\n"
        "updates/dkms/last.ko";
    for (const char *name : {"loop", "dummy_net", "dummy-net", "last"})
        EXPECT_TRUE(lists_module(list, name)) << name;
    for (const char *name : {"", "loo", "loop2", "oop", "loop.ko", "other", "more", "approved", "older", "kernel"})
        EXPECT_FALSE(lists_module(list, name)) << name;
    for (const char *nothing : {"", "\n", ":", "/\n/:", ".ko", "\n\n"})
        EXPECT_FALSE(lists_module(nothing, "loop")) << nothing;
}

TEST(StaprunKernelNames, BothListsCount) {
    const trust::Folder folder;
    EXPECT_FALSE(is_kernel_module(folder.path(), "ext4"));
    folder.write("modules.dep", "kernel/drivers/block/loop.ko:\n");
    folder.write("modules.builtin", "kernel/fs/ext4/ext4.ko\n");
    EXPECT_TRUE(is_kernel_module(folder.path(), "loop"));
    EXPECT_TRUE(is_kernel_module(folder.path(), "ext4"));
    EXPECT_FALSE(is_kernel_module(folder.path(), "stap_x"));
}

}  // namespace
}  // namespace tapir::staprun
