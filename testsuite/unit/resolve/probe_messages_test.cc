// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics of the kinds of probes, as messages_test.cc.
#include <gmock/gmock.h>

#include "pass2.h"

namespace tapir::resolve {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ResolveMessages, DataLength) {
    EXPECT_EQ(
        diagnose("probe kernel.data(\"jiffies\").length(3).rw { }\n"
                 "probe kernel.data(0xffffffff81000002).length(4).write { }"),
        "semantic error: while resolving probe point: identifier 'kernel' at <input>:1:7\n"
        "        source: probe kernel.data(\"jiffies\").length(3).rw { }\n"
        "                      ^\n"
        "\n"
        "semantic error: the processor watches 1, 2, 4 or 8 bytes: number '3' at :1:37\n"
        "        source: probe kernel.data(\"jiffies\").length(3).rw { }\n"
        "                                                    ^\n"
        "\n"
        "semantic error: while resolving probe point: identifier 'kernel' at :2:7\n"
        "        source: probe kernel.data(0xffffffff81000002).length(4).write { }\n"
        "                      ^\n"
        "\n"
        "semantic error: the processor watches 4 bytes at multiples of 4 only: number '0xffffffff81000002' at :2:19\n"
        "        source: probe kernel.data(0xffffffff81000002).length(4).write { }\n"
        "                                  ^\n"
        "\n");
}

TEST(ResolveMessages, NetfilterName) {
    EXPECT_EQ(diagnose("probe netfilter.hook(\"NF_ARP_IN\").pf(\"ARP\") { }\n"
                       "probe netfilter.hook(\"NF_INET_LOCAL_OUT\").pf(\"NFPROTO_ARP\") { }"),
              "semantic error: while resolving probe point: identifier 'netfilter' at <input>:1:7\n"
              "        source: probe netfilter.hook(\"NF_ARP_IN\").pf(\"ARP\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: .pf() is a number or one of NFPROTO_INET, NFPROTO_IPV4, PF_INET, NFPROTO_ARP, "
              "NFPROTO_BRIDGE, PF_BRIDGE, NFPROTO_IPV6, PF_INET6: string '\"ARP\"' at :1:38\n"
              "        source: probe netfilter.hook(\"NF_ARP_IN\").pf(\"ARP\") { }\n"
              "                                                     ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'netfilter' at :2:7\n"
              "        source: probe netfilter.hook(\"NF_INET_LOCAL_OUT\").pf(\"NFPROTO_ARP\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: there is no hook 3 of family 3: string '\"NF_INET_LOCAL_OUT\"' at :2:22\n"
              "        source: probe netfilter.hook(\"NF_INET_LOCAL_OUT\").pf(\"NFPROTO_ARP\") { }\n"
              "                                     ^\n"
              "\n");
}

TEST(ResolveMessages, NoSuchSyscall) {
    EXPECT_EQ(diagnose("probe kernel.syscall(\"read\") { }"),
              "semantic error: while resolving probe point: identifier 'kernel' at <input>:1:7\n"
              "        source: probe kernel.syscall(\"read\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: the kernel's system calls are not known: string '\"read\"' at :1:22\n"
              "        source: probe kernel.syscall(\"read\") { }\n"
              "                                     ^\n"
              "\n");
}

TEST(ResolveMessages, ProbeArgument) {
    EXPECT_EQ(diagnose("probe timer.profile.freq.hz(0) { }\n"
                       "probe perf.type(-1).config(0) { }\n"
                       "probe perf.type(0).config(0).sample(0) { }"),
              "semantic error: while resolving probe point: identifier 'timer' at <input>:1:7\n"
              "        source: probe timer.profile.freq.hz(0) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: .hz() is out of range (1 to 1000000): number '0' at :1:29\n"
              "        source: probe timer.profile.freq.hz(0) { }\n"
              "                                            ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'perf' at :2:7\n"
              "        source: probe perf.type(-1).config(0) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: .type() is out of range (0 to 4294967295): number '1' at :2:18\n"
              "        source: probe perf.type(-1).config(0) { }\n"
              "                                 ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'perf' at :3:7\n"
              "        source: probe perf.type(0).config(0).sample(0) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: .sample() is out of range (1 to 9223372036854775807): number '0' at :3:37\n"
              "        source: probe perf.type(0).config(0).sample(0) { }\n"
              "                                                    ^\n"
              "\n");
}

TEST(ResolveMessages, ProbeArgumentOfReturnsAndCounters) {
    const std::string room = ".maxactive() is out of range (0 to 65535)";
    for (const char *number : {"-4", "-1", "65536", "99999999"})
        for (const char *place :
             {"kernel.function(\"vfs_read\")", "module(\"ext4\").function(\"f\")", "kprobe.function(\"vfs_read\")",
              "kprobe.module(\"ext4\").function(\"f\")", "kernel.syscall", "kernel.function(4096)"})
            EXPECT_THAT(diagnose("probe " + std::string(place) + ".return.maxactive(" + number + ") { }"),
                        HasSubstr(room))
                << place << number;
    EXPECT_THAT(diagnose("probe kprobe.function(\"vfs_read\").return.maxactive(65535) { }"), Not(HasSubstr(room)));
    for (const char *place : {"", ".process", ".process(\"/bin/sh\")"})
        EXPECT_THAT(diagnose("probe perf.type(0).config(0)" + std::string(place) + ".counter(\"\") { }"),
                    HasSubstr(".counter() needs a name, by which @perf(NAME) reads the counter: string '\"\"' at"))
            << place;
}

TEST(ResolveMessages, PerfProgram) {
    EXPECT_EQ(diagnose("probe perf.type(1).config(2).process(\"find\") { }"),
              "semantic error: while resolving probe point: identifier 'perf' at <input>:1:7\n"
              "        source: probe perf.type(1).config(2).process(\"find\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: the path of a program begins with '/': string '\"find\"' at :1:38\n"
              "        source: probe perf.type(1).config(2).process(\"find\") { }\n"
              "                                                     ^\n"
              "\n");
}

TEST(ResolveMessages, ProcfsPath) {
    EXPECT_EQ(
        diagnose("probe procfs(\"a/../b\").read { }\n"
                 "probe procfs(\"/a\").write { }\n"
                 "probe procfs(\"a\").umask(01000).read { $value = \"x\" }"),
        "semantic error: while resolving probe point: identifier 'procfs' at <input>:1:7\n"
        "        source: probe procfs(\"a/../b\").read { }\n"
        "                      ^\n"
        "\n"
        "semantic error: a path is names with slashes between them, and leads from /proc/systemtap/MODULE downwards: "
        "string '\"a/../b\"' at :1:14\n"
        "        source: probe procfs(\"a/../b\").read { }\n"
        "                             ^\n"
        "\n"
        "semantic error: while resolving probe point: identifier 'procfs' at :2:7\n"
        "        source: probe procfs(\"/a\").write { }\n"
        "                      ^\n"
        "\n"
        "semantic error: a path is names with slashes between them, and leads from /proc/systemtap/MODULE downwards: "
        "string '\"/a\"' at :2:14\n"
        "        source: probe procfs(\"/a\").write { }\n"
        "                             ^\n"
        "\n"
        "semantic error: while resolving probe point: identifier 'procfs' at :3:7\n"
        "        source: probe procfs(\"a\").umask(01000).read { $value = \"x\" }\n"
        "                      ^\n"
        "\n"
        "semantic error: .umask() is out of range (0 to 511): number '01000' at :3:25\n"
        "        source: probe procfs(\"a\").umask(01000).read { $value = \"x\" }\n"
        "                                        ^\n"
        "\n");
}

}  // namespace
}  // namespace tapir::resolve
