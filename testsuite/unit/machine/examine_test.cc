// SPDX-License-Identifier: GPL-2.0-or-later
// The whole report of a machine where all is well, and every finding where something is not.
#include "machine/examine.h"

#include <gtest/gtest.h>

#include <sstream>

namespace tapir::machine {
namespace {

constexpr char kConfig[] =
    "CONFIG_MODULES=y\nCONFIG_MODULE_UNLOAD=y\nCONFIG_KALLSYMS=y\nCONFIG_KPROBES=y\nCONFIG_KRETPROBES=y\nCONFIG_RELAY="
    "y\n"
    "CONFIG_PROC_FS=y\nCONFIG_HIGH_RES_TIMERS=y\nCONFIG_DYNAMIC_FTRACE=y\nCONFIG_PERF_EVENTS=y\n"
    "CONFIG_HAVE_HW_BREAKPOINT=y\nCONFIG_NETFILTER=y\nCONFIG_NETFILTER_FAMILY_ARP=y\n"
    "CONFIG_NETFILTER_FAMILY_BRIDGE=y\nCONFIG_TRACEPOINTS=y\nCONFIG_UPROBES=y\n"
    "CONFIG_HAVE_SYSCALL_TRACEPOINTS=y\nCONFIG_TASKSTATS=y\n";

Facts good() {
    Facts facts;
    facts.release = "1.2.3";
    facts.is_root = facts.may_load = facts.ftrace_enabled = facts.kprobes_enabled = Answer::Yes;
    facts.signatures_enforced = Answer::No;
    return facts;
}

// The lines of a group that are not "ok".
std::string troubles(const Group &group) {
    std::string text;
    Group bad{"", {}};
    for (const Finding &finding : group.findings)
        if (finding.state != State::Ok) bad.findings.push_back(finding);
    if (!bad.findings.empty()) text = list_findings({bad}, {});
    return text.empty() ? text : text.substr(1, text.size() - 2);
}
std::string troubles(const Facts &facts) {
    return troubles(examine_running(facts, {}));
}

TEST(Examine, WhereAllIsWell) {
    const std::vector<Group> groups = examine_target(good(), {Answer::Yes, true, kConfig});
    EXPECT_EQ(list_findings(groups, {}),
              R"(Running scripts on 1.2.3
  ok      rights: this process may load modules
  ok      modules: the kernel loads them
  ok      signatures: modules need none
  ok      function tracer: not switched off
  ok      kprobes: not switched off
  ok      symbols: /proc/kallsyms shows their addresses

Probe kinds
  ok      every script: what all scripts need
  ok      begin: begin, end and error probes
  ok      timer: timer probes
  ok      function: probes at the entry of kernel functions
  ok      statement: probes within kernel functions
  ok      return: probes at the return of kernel functions
  ok      perf: performance events and timer.profile
  ok      task_counter: performance events counted in each thread of a program
  ok      data: watchpoints on memory of the kernel
  ok      user_data: watchpoints on memory of programs
  ok      procfs: files below /proc/systemtap
  ok      netfilter: netfilter hooks
  ok      netfilter.arp: netfilter hooks for ARP
  ok      netfilter.bridge: netfilter hooks of bridges
  ok      tracepoint: tracepoints
  ok      uprobe: probes in programs
  ok      uretprobe: probes at the return of functions of programs
  ok      process: processes and threads that begin and end
  ok      process_syscall: system calls of processes
  ok      syscall: system calls by name

)");
    EXPECT_EQ(conclusion(groups), "Scripts can be run here.");
    EXPECT_EQ(render(groups, verdict(groups, "1.2.3"), {}),
              "Scripts run on this kernel (1.2.3).\n\n" + list_findings(groups, {}));
}

TEST(Examine, Rights) {
    Facts facts = good();
    facts.may_load = Answer::No;
    EXPECT_EQ(
        troubles(facts),
        "  off     rights: this process may not load modules, as in a container or without the capability "
        "CAP_SYS_MODULE: run on the host, in a container that was given the capability, or in a guest (stap --vm)\n");
    facts.is_root = Answer::No;
    EXPECT_EQ(troubles(facts),
              "  off     rights: only root may load modules: run as root (translating a script needs no rights)\n");
}

TEST(Examine, Modules) {
    Facts facts = good();
    facts.modules_disabled = true;
    EXPECT_EQ(troubles(facts),
              "  off     modules: the kernel loads none until it is booted again (kernel.modules_disabled is 1)\n");
    facts.takes_modules = false;
    EXPECT_EQ(troubles(facts), "  missing modules: the kernel is built without loadable modules (CONFIG_MODULES)\n");
}

TEST(Examine, SignaturesWithoutAKey) {
    const std::string advice =
        ": let stap sign it (--sign-key) with a key the kernel trusts, as docs/secure-boot.md tells, or stap-sign "
        "(--kernel-key)";
    Facts facts = good();
    facts.lockdown = "integrity";
    EXPECT_EQ(
        troubles(facts),
        "  off     signatures: this kernel accepts only signed modules (lockdown integrity); which keys it knows, "
        "only root sees (/proc/keys)" +
            advice + ", or boot without what locks the kernel down (Secure Boot, or the parameter lockdown)\n");
    facts.secure_boot = Answer::Yes;
    EXPECT_EQ(troubles(facts),
              "  off     signatures: this kernel accepts only signed modules (Secure Boot, lockdown integrity); which "
              "keys it knows, only root sees (/proc/keys)" +
                  advice + "; mokutil --import enrols a key; or switch Secure Boot off in the firmware\n");
    facts.lockdown.clear();
    EXPECT_EQ(troubles(facts), "") << "the firmware asks for a signed kernel, not for signed modules";
    facts.secure_boot = Answer::No;
    facts.signatures_enforced = Answer::Yes;
    Details details = {Answer::Yes, true, "", {{"Debian Secure Boot CA", "6cce", true}, {"Mine", "77", false}}, {}, {}};
    EXPECT_EQ(troubles(examine_running(facts, details)),
              "  off     signatures: this kernel accepts only signed modules (module.sig_enforce); it knows the keys "
              "'Debian Secure Boot CA', 'Mine'" +
                  advice + ", or boot without the parameter module.sig_enforce=1\n");
    details.other_keys = {{"/var/lib/dkms/mok.key", "CN=Other", "99", "/var/lib/dkms/mok.pub", ""},
                          {"/var/lib/dkms/mok.key", "CN=Mine", "77", "/var/lib/dkms/mok.pub", ""}};
    EXPECT_EQ(troubles(examine_running(facts, details)),
              "  off     signatures: this kernel accepts only signed modules (module.sig_enforce); it knows the keys "
              "'Debian Secure Boot CA', 'Mine': stap --sign-key=/var/lib/dkms/mok.key signs with 'CN=Mine', which is "
              "among them (docs/secure-boot.md)\n");
}

TEST(Examine, SignaturesWithAKey) {
    Facts facts = good();
    facts.lockdown = "integrity";
    Details details = {Answer::Yes, true, "", {}, {"/k.key", "CN=Mine", "77", "/k.pem", ""}, {}};
    const std::string head = "signatures: this kernel accepts only signed modules (lockdown integrity)";
    EXPECT_EQ(troubles(examine_running(facts, details)),
              "  note    " + head +
                  ", and stap signs them with 'CN=Mine' (/k.key); whether it trusts that key, only root sees "
                  "(/proc/keys)\n");
    details.keys = {{"Built in", "1", true}};
    EXPECT_EQ(troubles(examine_running(facts, details)),
              "  off     " + head +
                  "; it knows the keys 'Built in': it does not know 'CN=Mine' (/k.key), which stap signs with: mokutil "
                  "--import the certificate /k.pem (in DER), boot again, and enrol it there\n");
    details.keys.push_back({"Mine", "77", false});
    EXPECT_EQ(
        troubles(examine_running(facts, details)),
        "  note    " + head +
            ", and stap signs them with 'CN=Mine' (/k.key), which the firmware has: kernels of Debian, Ubuntu and "
            "Fedora take it, others do not\n");
    details.keys.back().certain = true;
    EXPECT_EQ(troubles(examine_running(facts, details)), "");
    EXPECT_EQ(failures({examine_running(facts, details)}), "");
    details.signing_key.problem = "there is no key '/k.key'";
    EXPECT_EQ(troubles(examine_running(facts, details)),
              "  off     " + head +
                  "; it knows the keys 'Built in', 'Mine': modules cannot be signed: there is no key '/k.key'\n");
}

TEST(Examine, Switches) {
    Facts facts = good();
    facts.ftrace_enabled = facts.kprobes_enabled = Answer::No;
    EXPECT_EQ(
        troubles(facts),
        "  off     function tracer: kernel.ftrace_enabled is 0, probes of kernel functions do not work: switch it "
        "on: sysctl kernel.ftrace_enabled=1\n"
        "  off     kprobes: /sys/kernel/debug/kprobes/enabled is 0, probes of kernel functions do not work: switch "
        "them on: echo 1 > /sys/kernel/debug/kprobes/enabled\n");
    EXPECT_EQ(troubles(examine_kinds(kConfig, &facts)),
              "  off     function: probes at the entry of kernel functions: the function tracer is off\n"
              "  off     statement: probes within kernel functions: kprobes are off\n"
              "  off     return: probes at the return of kernel functions: the function tracer is off\n"
              "  off     process: processes and threads that begin and end: the function tracer is off\n");
    EXPECT_EQ(troubles(examine_kinds(kConfig, nullptr)), "");
    EXPECT_EQ(failures({examine_running(facts, {})}), "") << "scripts without them run";
}

TEST(Examine, Symbols) {
    Facts facts = good();
    EXPECT_EQ(troubles(examine_running(facts, {Answer::No, false, ""})),
              "  off     symbols: /proc/kallsyms shows no addresses, scripts that name more than a few symbols of the "
              "kernel do not work: sysctl kernel.kptr_restrict=1\n");
    facts.is_root = Answer::No;
    EXPECT_EQ(troubles(examine_running(facts, {Answer::No, false, ""})),
              "  note    symbols: /proc/kallsyms shows their addresses to root only\n");
}

TEST(Examine, Options) {
    EXPECT_EQ(
        troubles(examine_kinds("CONFIG_MODULES=y\nCONFIG_MODULE_UNLOAD=y\nCONFIG_KALLSYMS=y\nCONFIG_KPROBES=y\n"
                               "CONFIG_RELAY=y\nCONFIG_PROC_FS=y\n",
                               nullptr)),
        R"(  missing return: probes at the return of kernel functions: the kernel was built without CONFIG_KRETPROBES
  missing perf: performance events and timer.profile: the kernel was built without CONFIG_PERF_EVENTS
  missing task_counter: performance events counted in each thread of a program: the kernel was built without CONFIG_PERF_EVENTS and CONFIG_UPROBES
  missing data: watchpoints on memory of the kernel: the kernel was built without CONFIG_PERF_EVENTS and CONFIG_HAVE_HW_BREAKPOINT
  missing user_data: watchpoints on memory of programs: the kernel was built without CONFIG_PERF_EVENTS and CONFIG_HAVE_HW_BREAKPOINT and CONFIG_UPROBES
  missing netfilter: netfilter hooks: the kernel was built without CONFIG_NETFILTER
  missing netfilter.arp: netfilter hooks for ARP: the kernel was built without CONFIG_NETFILTER and CONFIG_NETFILTER_FAMILY_ARP
  missing netfilter.bridge: netfilter hooks of bridges: the kernel was built without CONFIG_NETFILTER and CONFIG_NETFILTER_FAMILY_BRIDGE
  missing tracepoint: tracepoints: the kernel was built without CONFIG_TRACEPOINTS
  missing uprobe: probes in programs: the kernel was built without CONFIG_UPROBES
  missing uretprobe: probes at the return of functions of programs: the kernel was built without CONFIG_UPROBES
  missing process: processes and threads that begin and end: the kernel was built without CONFIG_TRACEPOINTS and one of CONFIG_TASKSTATS, CONFIG_BSD_PROCESS_ACCT
  missing process_syscall: system calls of processes: the kernel was built without CONFIG_TRACEPOINTS and CONFIG_HAVE_SYSCALL_TRACEPOINTS
  missing syscall: system calls by name: the kernel was built without CONFIG_TRACEPOINTS and CONFIG_HAVE_SYSCALL_TRACEPOINTS
  note    timer: timer probes: the kernel was built without CONFIG_HIGH_RES_TIMERS: they fire at its ticks
  note    function: probes at the entry of kernel functions: the kernel was built without CONFIG_DYNAMIC_FTRACE: each hit costs several times as much
)");
    EXPECT_EQ(
        troubles(examine_kinds("", nullptr)),
        "  note    configuration: not found (/proc/config.gz, /boot/config-RELEASE): which probe kinds the kernel "
        "has is not known\n");
}

TEST(Examine, Conclusion) {
    Facts facts = good();
    facts.may_load = Answer::No;
    facts.lockdown = "integrity";
    const std::vector<Group> groups = examine_target(facts, {Answer::Yes, true, "CONFIG_MODULES=y\n"});
    EXPECT_EQ(conclusion(groups), "Scripts cannot be run here; in the way: rights, signatures, every script.");
    EXPECT_EQ(verdict(groups, "1.2.3").text,
              "Scripts cannot run on this kernel (1.2.3): this process may not load modules, and 2 more in the way.");
    facts.takes_modules = false;
    EXPECT_EQ(verdict(examine_target(facts, {Answer::Yes, true, ""}), "1.2.3").text,
              "Scripts cannot run on this kernel (1.2.3): the kernel is built without loadable modules, and 2 more in "
              "the way.");
}

class Summary : public testing::Test {
  protected:
    std::string at(size_t width) {
        screen.width = width;
        screen.utf8 = true;
        return summarize(groups, verdict, screen);
    }
    std::vector<Group> groups{
        {"Building",
         {{State::Ok, "compiler", "gcc"}, {State::Missing, "headers", "install linux-headers-1.2.3", true}}},
        {"Running",
         {{State::Missing, "modules", "the kernel is built without them", true},
          {State::Note, "debug", "no debug information: no local variables and lines; types come from BTF"},
          {State::Ok, "BTF", "there"}}},
        {"Kinds",
         {{State::Missing, "function", "entries: it was built without CONFIG_KPROBES"},
          {State::Missing, "return", "returns: it was built without CONFIG_KPROBES"},
          {State::Missing, "data", "watchpoints: there is no perf"},
          {State::Ok, "timer", "timers"},
          {State::Ok, "compiler", "again"}}}};
    Verdict verdict{"Scripts cannot run on this kernel (1.2.3): it has no modules.",
                    false,
                    {{"stap --vm SCRIPT", "runs them in a guest here; QEMU is ready, without KVM"},
                     {"stap -r RELEASE", "builds them for another machine"}},
                    "stap --doctor -v"};
    Screen screen;
};

TEST_F(Summary, AtEightyColumns) {
    EXPECT_EQ(at(80), R"(Scripts cannot run on this kernel (1.2.3): it has no modules.
  stap --vm SCRIPT    runs them in a guest here; QEMU is ready, without KVM
  stap -r RELEASE     builds them for another machine

missing  modules  the kernel is built without them
missing  headers  install linux-headers-1.2.3
missing  2 kinds  it was built without CONFIG_KPROBES: function, return
missing  data     watchpoints: there is no perf
notice   debug    no debug information: no local variables and lines; types come
                  from BTF
ok       4 more   compiler, BTF, timer
                  all: stap --doctor -v
)");
    EXPECT_NE(at(120).find("debug    no debug information: no local variables and lines; types come from BTF\n"),
              std::string::npos);
}

TEST_F(Summary, AtFortyColumns) {
    EXPECT_EQ(at(40), R"(Scripts cannot run on this kernel
  (1.2.3): it has no modules.
  stap --vm SCRIPT  runs them in a guest
                    here; QEMU is ready,
                    without KVM
  stap -r RELEASE   builds them for
                    another machine

missing  modules
         the kernel is built without
         them
missing  headers
         install linux-headers-1.2.3
missing  2 kinds
         it was built without
         CONFIG_KPROBES: function,
         return
missing  data
         watchpoints: there is no perf
notice   debug
         no debug information: no local
         variables and lines; types come
         from BTF
ok       4 more
         compiler, BTF, timer
         all: stap --doctor -v
)");
}

TEST_F(Summary, WhereAllIsWell) {
    groups = {{"A", {{State::Ok, "a", "1"}, {State::Ok, "b", "2"}}}};
    verdict = {"Scripts run on this kernel (1.2.3).", true, {}, "staprun --doctor -v"};
    EXPECT_EQ(at(80),
              "Scripts run on this kernel (1.2.3).\n\nok       2  a, b\n            all: staprun --doctor -v\n");
    screen.colors = Colors(Coloring::Always, -1);
    EXPECT_EQ(at(80),
              "\033[32mScripts run on this kernel (1.2.3).\033[0m\n\n"
              "\033[32mok\033[0m       2  a, b\n            all: staprun --doctor -v\n");
}

TEST_F(Summary, LinesFitEveryScreen) {
    for (size_t width = 20; width <= 400; ++width) {
        std::istringstream lines(at(width));
        for (std::string line; std::getline(lines, line);)
            ASSERT_LE(tapir::columns(line), width) << line;
    }
}

TEST(Examine, WhatIsLackingComesFirst) {
    const std::vector<Group> groups{{"A", {{State::Ok, "a", "1"}, {State::Note, "b", "2"}}},
                                    {"B", {{State::Ok, "c", "3"}, {State::Missing, "d", "4"}, {State::Off, "e", "5"}}},
                                    {"C", {{State::Ok, "f", "6"}}}};
    EXPECT_EQ(list_findings(groups, {}),
              "B\n  missing d: 4\n  off     e: 5\n  ok      c: 3\n\n"
              "A\n  ok      a: 1\n  note    b: 2\n\n"
              "C\n  ok      f: 6\n\n");
}

TEST(Examine, Json) {
    const std::vector<Group> groups{{"A \"b\"", {{State::Off, "c", "d\ne", true}, {State::Ok, "f", "g", false}}},
                                    {"H", {}}};
    EXPECT_EQ(list_findings(groups, {}), "A \"b\"\n  off     c: d\n          e\n  ok      f: g\n\nH\n\n");
    EXPECT_EQ(render_json(groups, "i"),
              R"({
  "groups": [
    {"title": "A \"b\"", "findings": [
      {"state": "off", "subject": "c", "essential": true, "text": "d\u000ae"},
      {"state": "ok", "subject": "f", "essential": false, "text": "g"}
    ]},
    {"title": "H", "findings": [
    ]}
  ],
  "usable": false,
  "conclusion": "i"
}
)");
}

}  // namespace
}  // namespace tapir::machine
