// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/other_languages.h"

#include <gtest/gtest.h>

namespace tapir {
namespace {

TEST(OtherLanguages, ProbesOfBpftraceAndDTrace) {
    const std::pair<const char *, const char *> probes[] = {
        {"kprobe:vfs_read", "kernel.function(\"vfs_read\")"},
        {"kretprobe:vfs_read", "kernel.function(\"vfs_read\").return"},
        {"tracepoint:sched:sched_switch", "kernel.trace(\"sched:sched_switch\")"},
        {"tracepoint:syscalls:sys_enter_openat", "syscall.openat"},
        {"tracepoint:syscalls:sys_exit_read", "syscall.read.return"},
        {"uprobe:/bin/bash:readline", "process(\"/bin/bash\").function(\"readline\")"},
        {"uretprobe:/bin/bash:readline", "process(\"/bin/bash\").function(\"readline\").return"},
        {"usdt:/usr/sbin/nginx:nginx:start", "process(\"/usr/sbin/nginx\").mark(\"start\")"},
        {"interval:ms:20", "timer.ms(20)"},
        {"profile:hz:99", "timer.profile.freq.hz(99)"},
        {"fbt::vfs_read:entry", "kernel.function(\"vfs_read\")"},
        {"syscall::read:return", "syscall.read.return"},
        {"END", "end"},
    };
    for (const auto &[theirs, ours] : probes)
        EXPECT_NE(advice_for_probe(theirs).find("'probe " + std::string(ours) + " { ... }'"), std::string::npos)
            << theirs << ": " << advice_for_probe(theirs);
    for (const char *other : {"kernel", "vfs.read", "kprobe", "x:y", "", ":", ":::"})
        EXPECT_EQ(advice_for_probe(other), "") << other;
}

TEST(OtherLanguages, SystemCallsAsFunctions) {
    for (const char *name : {"sys_read", "SyS_read", "ksys_read", "__x64_sys_read", "__se_sys_read", "compat_sys_read"})
        EXPECT_EQ(advice_for_kernel_function(name),
                  "system calls are probed by their own names, as on every kernel: syscall.read")
            << name;
    for (const char *name : {"vfs_read", "sys_", "__x64_sys_", "msys_read", ""})
        EXPECT_EQ(advice_for_kernel_function(name), "") << name;
}

TEST(OtherLanguages, Words) {
    EXPECT_EQ(advice_for_variable("comm"), "bpftrace's comm is execname() here");
    EXPECT_NE(advice_for_variable("int"), "");
    EXPECT_NE(advice_for_variable("O_CREAT"), "");
    EXPECT_EQ(advice_for_variable("total"), "");
    EXPECT_EQ(advice_for_variable("N"), "");
    EXPECT_EQ(advice_for_function("elif"), "write else if (CONDITION)");
    EXPECT_EQ(advice_for_function("mine"), "");
    EXPECT_EQ(advice_for_function("nsecs"), "bpftrace's nsecs is gettimeofday_ns() here");
    EXPECT_TRUE(is_c_type("size_t"));
    EXPECT_FALSE(is_c_type("long"));
}

}  // namespace
}  // namespace tapir
