// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/metadata.h"

#include <gtest/gtest.h>

namespace tapir::syscalls {
namespace {

using Numbers = std::map<uint32_t, std::string>;

TEST(SyscallMetadata, Numbers) {
    EXPECT_EQ(read_numbers("#ifndef X\n#define __NR_read 0\n#define __NR_epoll_pwait2\t441\n"
                           "#define __NR_syscalls\n#define __NR_x (1 + 2)\n#define NR_other 7"),
              (Numbers{{0, "read"}, {441, "epoll_pwait2"}}));
}

// As 5.10, 6.1 and 6.12 write them.
TEST(SyscallMetadata, Entries) {
    EXPECT_EQ(
        read_entries("__SYSCALL_64(0, sys_read)\n__SYSCALL_COMMON(1, sys_write)\n__SYSCALL_X32(520, sys_x)\n", false),
        (Numbers{{0, "sys_read"}, {1, "sys_write"}}));
    EXPECT_EQ(read_entries("__SYSCALL(0, sys_restart_syscall)\n__SYSCALL_WITH_COMPAT(5, sys_open, compat_sys_open)\n"
                           "__SYSCALL_NORETURN(1, sys_exit)\n",
                           true),
              (Numbers{{0, "sys_restart_syscall"}, {1, "sys_exit"}, {5, "compat_sys_open"}}));
    EXPECT_EQ(read_entries("#ifdef CONFIG_X86_32\n__SYSCALL_I386(21, __ia32_sys_mount, )\n#else\n"
                           "__SYSCALL_I386(21, __ia32_compat_sys_mount)\n#endif\n",
                           true),
              (Numbers{{21, "compat_sys_mount"}}));
}

std::string shown(std::string_view header) {
    std::string text;
    for (const auto &[name, list] : read_prototypes(header)) {
        text += name + ":";
        for (const Parameter &parameter : list)
            text += " " + parameter.type + "|" + parameter.name + ";";
        text += "\n";
    }
    return text;
}

TEST(SyscallMetadata, Prototypes) {
    EXPECT_EQ(shown("/* asmlinkage long sys_not(int x); */\n"
                    "asmlinkage long sys_open(const char __user *filename,\n\t\t\tint flags, umode_t mode);\n"
                    "asmlinkage long sys_getpid(void);\n"
                    "long other(int);\n"),
              "sys_getpid:\nsys_open: const char __user *|filename; int|flags; umode_t|mode;\n");
    EXPECT_EQ(
        shown("asmlinkage long sys_socket(int, unsigned long, struct sockaddr __user *, size_t, const struct x);\n"
              "asmlinkage long sys_v(unsigned vlen, const char __user *const __user *argv, struct x y);"),
        "sys_socket: int|; unsigned long|; struct sockaddr __user *|; size_t|; const struct x|;\n"
        "sys_v: unsigned|vlen; const char __user *const __user *|argv; struct x|y;\n");
}

// The last is that of the usual architectures.
TEST(SyscallMetadata, ConditionalPrototypes) {
    EXPECT_EQ(shown("#ifdef CONFIG_CLONE_BACKWARDS\nasmlinkage long sys_clone(int a);\n#else\n"
                    "asmlinkage long sys_clone(long a,\n long b);\n#endif\n"),
              "sys_clone: long|a; long|b;\n");
}

TEST(SyscallMetadata, DamagedHeaders) {
    EXPECT_EQ(shown("asmlinkage long sys_x(int"), "");
    EXPECT_EQ(shown("asmlinkage long "), "");
    EXPECT_EQ(shown("asmlinkage long ); ("), "");
    EXPECT_EQ(shown("/* asmlinkage long sys_x(int a);"), "");
    EXPECT_EQ(read_entries("__SYSCALL(\n__SYSCALL()\n__SYSCALL(1)\n__SYSCALL)1, 2(\n", false), Numbers{});
    EXPECT_EQ(read_numbers("#define __NR_\n#define __NR_ 1\n#define __NR_x 99999999999\n"), (Numbers{{1, ""}}));
}

TEST(SyscallMetadata, SaysWhyThereAreNone) {
    EXPECT_EQ(read_kernel_calls("", "x86_64").missing,
              "they are known by the kernel's headers, which are not installed");
    EXPECT_EQ(read_kernel_calls("/no/such/tree", "riscv64").missing, "their tables are not read on riscv64");
    EXPECT_EQ(read_kernel_calls("/no/such/tree", "x86_64").missing,
              "there is no list of them in /no/such/tree/arch/x86/include/generated");
}

}  // namespace
}  // namespace tapir::syscalls
