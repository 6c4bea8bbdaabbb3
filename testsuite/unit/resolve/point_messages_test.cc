// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics of probe points, as messages_test.cc.
#include "pass2.h"

namespace tapir::resolve {
namespace {

TEST(ResolveMessages, NoSuchTracepoint) {
    EXPECT_EQ(
        diagnose("probe kernel.trace(\"sched_switch\") { }"),
        "semantic error: while resolving probe point: identifier 'kernel' at <input>:1:7\n"
        "        source: probe kernel.trace(\"sched_switch\") { }\n"
        "                      ^\n"
        "\n"
        "semantic error: the tracepoints of the kernel are not known: they are found by its BTF, which the kernel's "
        "image has, or by debug information; there is no debug information: string '\"sched_switch\"' at :1:20\n"
        "        source: probe kernel.trace(\"sched_switch\") { }\n"
        "                                   ^\n"
        "\n");
}

TEST(ResolveMessages, NoSuchProgram) {
    EXPECT_EQ(diagnose("probe process(\"/no/such/program\").function(\"main\") { }"),
              "semantic error: while resolving probe point: identifier 'process' at <input>:1:7\n"
              "        source: probe process(\"/no/such/program\").function(\"main\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: there is no such file: string '\"/no/such/program\"' at :1:15\n"
              "        source: probe process(\"/no/such/program\").function(\"main\") { }\n"
              "                              ^\n"
              "\n");
}

TEST(ResolveMessages, NoSuchMark) {
    EXPECT_EQ(diagnose("probe process(\"/proc/self/exe\").mark(\"started\") { }"),
              "semantic error: while resolving probe point: identifier 'process' at <input>:1:7\n"
              "        source: probe process(\"/proc/self/exe\").mark(\"started\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: no match: " +
                  std::filesystem::canonical("/proc/self/exe").string() +
                  " has no marks (sys/sdt.h): string '\"started\"' at :1:38\n"
                  "        source: probe process(\"/proc/self/exe\").mark(\"started\") { }\n"
                  "                                                     ^\n"
                  "\n");
}

TEST(ResolveMessages, NoSuchData) {
    EXPECT_EQ(diagnose("probe process(\"/proc/self/exe\").data(\"no_variable_is_called_so\").write { }"),
              "semantic error: while resolving probe point: identifier 'process' at <input>:1:7\n"
              "        source: probe process(\"/proc/self/exe\").data(\"no_variable_is_called_so\").write { }\n"
              "                      ^\n"
              "\n"
              "semantic error: " +
                  std::filesystem::canonical("/proc/self/exe").string() +
                  " has no variable 'no_variable_is_called_so': string '\"no_variable_is_called_so\"' at :1:38\n"
                  "        source: probe process(\"/proc/self/exe\").data(\"no_variable_is_called_so\").write { }\n"
                  "                                                     ^\n"
                  "\n");
}

TEST(ResolveMessages, NoSuchPltEntry) {
    const std::string self = std::filesystem::canonical("/proc/self/exe").string();
    EXPECT_EQ(diagnose("probe process(\"/proc/self/exe\").plt(\"mkdtenp\") { }\n"
                       "probe process(\"/proc/self/exe\").plt(\"no*such*\").return { }"),
              "semantic error: while resolving probe point: identifier 'process' at <input>:1:7\n"
              "        source: probe process(\"/proc/self/exe\").plt(\"mkdtenp\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: no match (similar PLT entries: mkdtemp, mkstemp): string '\"mkdtenp\"' at :1:37\n"
              "        source: probe process(\"/proc/self/exe\").plt(\"mkdtenp\") { }\n"
              "                                                    ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'process' at :2:7\n"
              "        source: probe process(\"/proc/self/exe\").plt(\"no*such*\").return { }\n"
              "                      ^\n"
              "\n"
              "semantic error: no match: string '\"no*such*\"' at :2:37\n"
              "        source: probe process(\"/proc/self/exe\").plt(\"no*such*\").return { }\n"
              "                                                    ^\n"
              "\n");
}

TEST(ResolveMessages, ProbePointMismatch) {
    EXPECT_EQ(diagnose("probe begni { }\n"
                       "probe timer.s { }\n"
                       "probe timer.foo(1) { }\n"
                       "probe vfs.raed { }\n"
                       "probe timer.*(\"a\") { }\n"
                       "probe nothing.like.it { }",
                       {{"v.stp", "probe vfs.read = kernel.function(\"vfs_read\") { }"}}),
              "semantic error: while resolving probe point: identifier 'begni' at <input>:1:7\n"
              "        source: probe begni { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch (similar: begin): identifier 'begni' at :1:7\n"
              "        source: probe begni { }\n"
              "                      ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :2:7\n"
              "        source: probe timer.s { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch (similar: s(number)): identifier 's' at :2:13\n"
              "        source: probe timer.s { }\n"
              "                            ^\n"
              "          help: it takes an argument: s(number)\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :3:7\n"
              "        source: probe timer.foo(1) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch (alternatives: s(number), sec(number), ms(number), msec(number), "
              "us(number), usec(number), ns(number), nsec(number), jiffies(number), hz(number), profile): identifier "
              "'foo' at :3:13\n"
              "        source: probe timer.foo(1) { }\n"
              "                            ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'vfs' at :4:7\n"
              "        source: probe vfs.raed { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch (similar: read): identifier 'raed' at :4:11\n"
              "        source: probe vfs.raed { }\n"
              "                          ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :5:7\n"
              "        source: probe timer.*(\"a\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch (alternatives: s(number), sec(number), ms(number), msec(number), "
              "us(number), usec(number), ns(number), nsec(number), jiffies(number), hz(number), profile): operator '*' "
              "at :5:13\n"
              "        source: probe timer.*(\"a\") { }\n"
              "                            ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'nothing' at :6:7\n"
              "        source: probe nothing.like.it { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch: identifier 'nothing' at :6:7\n"
              "        source: probe nothing.like.it { }\n"
              "                      ^\n"
              "          help: 'stap --dump-probe-types' lists the kinds of probe points, 'stap --dump-probe-aliases' "
              "the library's\n"
              "\n");
}

TEST(ResolveMessages, ProbePointMismatchAfterAWholePoint) {
    EXPECT_EQ(diagnose("probe begin.call { }\n"
                       "probe a(\"x\") = begin { }\n"
                       "probe a(\"y\") { }"),
              "semantic error: while resolving probe point: identifier 'begin' at <input>:1:7\n"
              "        source: probe begin.call { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch: nothing follows begin: identifier 'call' at :1:13\n"
              "        source: probe begin.call { }\n"
              "                            ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'a' at :3:7\n"
              "        source: probe a(\"y\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: probe point mismatch (similar: a(\"x\")): identifier 'a' at :3:7\n"
              "        source: probe a(\"y\") { }\n"
              "                      ^\n"
              "          help: its argument is of another kind: a(\"x\")\n"
              "\n");
}

TEST(ResolveMessages, ProbeUnsupported) {
    EXPECT_EQ(
        diagnose("probe process(\"/bin/sh\").java(\"main\") { }\n"
                 "probe kernel.function(\"*@fs/*.c\") { }\n"
                 "probe perf.type(0).config(1).process { }"),
        "semantic error: while resolving probe point: identifier 'process' at <input>:1:7\n"
        "        source: probe process(\"/bin/sh\").java(\"main\") { }\n"
        "                      ^\n"
        "\n"
        "semantic error: cannot probe process(\"/bin/sh\").java(\"main\"): this probe of processes is not "
        "supported yet: "
        "identifier 'process' at :1:7\n"
        "        source: probe process(\"/bin/sh\").java(\"main\") { }\n"
        "                      ^\n"
        "\n"
        "semantic error: while resolving probe point: identifier 'kernel' at :2:7\n"
        "        source: probe kernel.function(\"*@fs/*.c\") { }\n"
        "                      ^\n"
        "\n"
        "semantic error: source files in function patterns are found by debug information: there is "
        "no debug information: string '\"*@fs/*.c\"' at :2:23\n"
        "        source: probe kernel.function(\"*@fs/*.c\") { }\n"
        "                                      ^\n"
        "\n"
        "semantic error: while resolving probe point: identifier 'perf' at :3:7\n"
        "        source: probe perf.type(0).config(1).process { }\n"
        "                      ^\n"
        "\n"
        "semantic error: which process? Name a program, process(\"PATH\"), or a command or process for the whole run "
        "with -c or -x: identifier 'process' at :3:30\n"
        "        source: probe perf.type(0).config(1).process { }\n"
        "                                             ^\n"
        "\n");
}

TEST(ResolveMessages, KernelOptionOffOfAFamilyOfFilters) {
    Pass2 pass;
    pass.options.option =
        machine::options_of("CONFIG_MODULES=y\nCONFIG_NETFILTER=y\nCONFIG_NETFILTER_FAMILY_BRIDGE=y\n");
    pass.elaborate(
        {"probe netfilter.hook(\"NF_BR_LOCAL_IN\").pf(\"NFPROTO_BRIDGE\") { }\n"
         "probe netfilter.hook(\"NF_ARP_IN\").pf(\"NFPROTO_ARP\") { }\n"});
    EXPECT_EQ(pass.reported(),
              "semantic error: while resolving probe point: identifier 'netfilter' at <input>:2:7\n"
              "        source: probe netfilter.hook(\"NF_ARP_IN\").pf(\"NFPROTO_ARP\") { }\n"
              "                      ^\n"
              "\n"
              "semantic error: the kernel was built without CONFIG_NETFILTER_FAMILY_ARP, which netfilter hooks for ARP "
              "need; only a kernel with it can run this: string '\"NFPROTO_ARP\"' at :2:38\n"
              "        source: probe netfilter.hook(\"NF_ARP_IN\").pf(\"NFPROTO_ARP\") { }\n"
              "                                                     ^\n"
              "\n");
}

TEST(ResolveMessages, KernelOptionOff) {
    Pass2 pass;
    pass.options.option = machine::options_of(
        "CONFIG_MODULES=y\nCONFIG_KPROBES=y\n# CONFIG_KRETPROBES is not set\n# CONFIG_PERF_EVENTS is not set\n");
    pass.elaborate(
        {"probe kernel.function(\"vfs_read\") { }\n"
         "probe kernel.function(\"vfs_read\").return { }\n"
         "probe netfilter.hook(\"NF_INET_LOCAL_IN\").pf(\"PF_INET\") ? { }\n"
         "probe kernel.data(4096).write { }\n"
         "probe timer.profile { }\n"});
    EXPECT_EQ(pass.reported(),
              "semantic error: while resolving probe point: identifier 'kernel' at <input>:2:7\n"
              "        source: probe kernel.function(\"vfs_read\").return { }\n"
              "                      ^\n"
              "\n"
              "semantic error: the kernel was built without CONFIG_KRETPROBES, which probes at the return of kernel "
              "functions need; only a kernel with it can run this: identifier 'kernel' at :2:7\n"
              "        source: probe kernel.function(\"vfs_read\").return { }\n"
              "                      ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'kernel' at :4:7\n"
              "        source: probe kernel.data(4096).write { }\n"
              "                      ^\n"
              "\n"
              "semantic error: the kernel was built without CONFIG_PERF_EVENTS and CONFIG_HAVE_HW_BREAKPOINT, which "
              "watchpoints on memory of the kernel need; only a kernel with it can run this: identifier 'kernel' at "
              ":4:7\n"
              "        source: probe kernel.data(4096).write { }\n"
              "                      ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :5:7\n"
              "        source: probe timer.profile { }\n"
              "                      ^\n"
              "\n"
              "semantic error: the kernel was built without CONFIG_PERF_EVENTS, which performance events and "
              "timer.profile need; only a kernel with it can run this: identifier 'timer' at :5:7\n"
              "        source: probe timer.profile { }\n"
              "                      ^\n"
              "\n");
    ASSERT_EQ(pass.program->handlers.size(), 1u);
}

TEST(ResolveMessages, ProbeUnsupported_2) {
    EXPECT_EQ(
        diagnose("probe process(\"/bin/sh\").library(\"libc.so.6\").begin { }\n"
                 "probe process.insn.block { }"),
        "semantic error: while resolving probe point: identifier 'process' at <input>:1:7\n"
        "        source: probe process(\"/bin/sh\").library(\"libc.so.6\").begin { }\n"
        "                      ^\n"
        "\n"
        "semantic error: cannot probe process(\"/bin/sh\").library(\"libc.so.6\").begin: a library has no life of "
        "its own; leave .library() out: identifier 'process' at :1:7\n"
        "        source: probe process(\"/bin/sh\").library(\"libc.so.6\").begin { }\n"
        "                      ^\n"
        "\n"
        "semantic error: while resolving probe point: identifier 'process' at :2:7\n"
        "        source: probe process.insn.block { }\n"
        "                      ^\n"
        "\n"
        "semantic error: cannot probe process.insn.block: the kernel has no way to step through a program that "
        "others can bear; .statement() probes places, and perf.hw.instructions and perf.hw.branch_instructions "
        "count: identifier 'process' at :2:7\n"
        "        source: probe process.insn.block { }\n"
        "                      ^\n"
        "\n");
}

TEST(ResolveMessages, TimerInterval) {
    EXPECT_EQ(diagnose("probe timer.ms(0) { }\n"
                       "probe timer.s(1).randomize(2) { }\n"
                       "probe timer.hz(0) { }\n"
                       "probe timer.s(9223372037) { }\n"
                       "probe timer.us(-5) { }"),
              "semantic error: while resolving probe point: identifier 'timer' at <input>:1:7\n"
              "        source: probe timer.ms(0) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: interval value out of range (1 to 9223372036854): number '0' at :1:16\n"
              "        source: probe timer.ms(0) { }\n"
              "                               ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :2:7\n"
              "        source: probe timer.s(1).randomize(2) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: randomize value is larger than the interval: number '2' at :2:28\n"
              "        source: probe timer.s(1).randomize(2) { }\n"
              "                                           ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :3:7\n"
              "        source: probe timer.hz(0) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: frequency out of range (1 to 1000000000): number '0' at :3:16\n"
              "        source: probe timer.hz(0) { }\n"
              "                               ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :4:7\n"
              "        source: probe timer.s(9223372037) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: interval value out of range (1 to 9223372036): number '9223372037' at :4:15\n"
              "        source: probe timer.s(9223372037) { }\n"
              "                              ^\n"
              "\n"
              "semantic error: while resolving probe point: identifier 'timer' at :5:7\n"
              "        source: probe timer.us(-5) { }\n"
              "                      ^\n"
              "\n"
              "semantic error: interval value out of range (1 to 9223372036854775): number '5' at :5:17\n"
              "        source: probe timer.us(-5) { }\n"
              "                                ^\n"
              "\n");
}

}  // namespace
}  // namespace tapir::resolve
