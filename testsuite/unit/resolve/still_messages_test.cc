// SPDX-License-Identifier: GPL-2.0-or-later
// Messages on scripts for core files, whole; and that each function of the port has its class.
#include <fstream>
#include <iterator>
#include <regex>

#include "pass2.h"
#include "resolve/port_calls.h"
#include "resolve/still_reach.h"
#include "target/core_programs.h"
#include "testsuite/trees.h"
#include "testsuite/unit/core/core_writer.h"

namespace tapir::resolve {
namespace {

// A core of process 7, which ran a program that is not here.
class StillMessages : public testing::Test {
  protected:
    StillMessages() {
        use(core::core_of(core::thread_note(7, 0x401000) +
                              core::files_note({{0x400000, 0x402000, 0, "/usr/sbin/gone"}}) +
                              core::auxiliary_note({{AT_PHDR, 0x400040}}),
                          {{0x400000, 0x2000, core::program_of("abcd")}}));
    }

    void use(const std::string &bytes) {
        const std::string path = testing::TempDir() + "/tapir-still-messages." + std::to_string(getpid());
        std::ofstream(path, std::ios::binary) << bytes;
        Outcome<std::unique_ptr<target::CorePrograms>> opened = target::CorePrograms::open(path, "", "");
        std::filesystem::remove(path);
        if (!opened) {
            ADD_FAILURE() << opened.fault().message();
            return;
        }
        core_ = std::move(*opened);
        target::DebugSources sources;
        sources.subject = core_.get();
        debug_ = std::make_unique<target::DebugInfo>(sources);
    }

    std::string said(const std::string &script, const Tapsets &tapsets = {}, bool guru = false) {
        Pass2 pass(tapsets);
        pass.options.guru = guru;
        pass.options.debug = debug_.get();
        pass.options.reach = still_reach(core_->kind());
        pass.elaborate({script});
        return pass.reported();
    }

    std::unique_ptr<target::CorePrograms> core_;
    std::unique_ptr<target::DebugInfo> debug_;
};

TEST_F(StillMessages, NeverHit) {
    EXPECT_EQ(said("probe timer.s(1) { println(1) }\n"
                   "probe process.snapshot { println(2) }"),
              "WARNING: timer.s(1) is never hit: nothing runs in a core; process.snapshot looks at it as it stands: "
              "identifier 'timer' at <input>:1:7\n"
              " source: probe timer.s(1) { println(1) }\n"
              "               ^\n");
    EXPECT_EQ(said("probe process(\"x\").function(\"f\")?, timer.profile, process.end? { println(1) }"), "");
}

TEST_F(StillMessages, LooksOnce) {
    const Tapsets tapsets = {
        {"t.stp", "function exit() { }\nfunction target() { return 7 }\nfunction pid() { return 7 }"}};
    const std::string all = said("probe process(7).function(\"f\") { if (pid() == target()) exit() }", tapsets);
    // The program of this core is not here, so that the point fails thereafter.
    EXPECT_EQ(all.find("semantic error: while resolving probe point: identifier 'process' at <input>:1:7\n"), 0u)
        << all;
    EXPECT_NE(all.find("WARNING: process(7).function(\"f\") looks at the process as it stands, once: nothing runs in a "
                       "core, and the handler takes any event of the target: identifier 'process' at :1:7\n"),
              std::string::npos)
        << all;
    EXPECT_EQ(said("probe process(7).function(\"f\")?, process.snapshot { if (pid() == target()) exit() }", tapsets),
              "");
}

TEST_F(StillMessages, NothingHit) {
    EXPECT_EQ(said("probe begin { println(1) }\n"
                   "probe kernel.function(\"f\")? { println(2) }"),
              "semantic error: nothing of the script looks at the process: nothing runs in a core; process.snapshot "
              "looks at it as it stands\n"
              "\n");
    EXPECT_EQ(said("probe begin { println(1) }"), "");
}

TEST_F(StillMessages, NotInRemains) {
    const Tapsets tapsets = {{"t.stp",
                              "function asks:long () %{ /* pure */ STAP_RETVALUE = tapir_port_task_current(); %}\n"
                              "function through() { return asks() }\n"
                              "function fine:long () %{ /* pure */ STAP_RETVALUE = tapir_port_pid(); %}"}};
    const std::string help =
        "          help: for scripts that run on both: %( runtime == \"process\" %? ... %: ... %)\n\n";
    EXPECT_EQ(said("probe process.snapshot { println(through(), fine()) }", tapsets),
              "semantic error: through() asks the running kernel, and a core has none: identifier 'through' at "
              "<input>:1:34\n"
              "        source: probe process.snapshot { println(through(), fine()) }\n"
              "                                                 ^\n" +
                  help);
    EXPECT_EQ(said("probe process.snapshot { println(@kderef(8, 16), @uderef(8, 16)) }", {}, true),
              "semantic error: this reads the memory of the running kernel, and a core has none of it: operator "
              "'@kderef' at <input>:1:34\n"
              "        source: probe process.snapshot { println(@kderef(8, 16), @uderef(8, 16)) }\n"
              "                                                 ^\n" +
                  help);
}

TEST_F(StillMessages, Programs) {
    const auto says = [&](const std::string &point, const std::string &text) {
        const std::string all = said("probe " + point + " { println(1) }");
        EXPECT_NE(std::string::npos, all.find(text)) << all;
    };
    says("process(9).snapshot", "the core is of process 7, not of 9");
    says("process(\"/usr/sbin/gome\").snapshot", "the process had mapped no such file (similar files: /usr/sbin/gone)");
    says("process(\"gone\").snapshot",
         "the process had mapped /usr/sbin/gone (build-id 61626364), and /usr/sbin/gone cannot be opened: No such "
         "file or directory");
    EXPECT_EQ(said("probe process.snapshot, process.thread.snapshot, process.begin { println(1) }"), "");
}

// In a kernel's core, begin looks at the kernel's memory, and processes are not there.
TEST_F(StillMessages, Kernels) {
    use(core::core_of(core::note(0, "OSRELEASE=6.1.0\n", "VMCOREINFO"), {}));
    const Tapsets tapsets = {{"t.stp",
                              "function of_process:long () %{ /* pure */ STAP_RETVALUE = tapir_port_pid(); %}\n"
                              "function fine:long () %{ /* pure */ STAP_RETVALUE = kread((long *)16); %}"}};
    EXPECT_EQ(said("probe begin { println(fine(), @kderef(8, 16)) } probe end { println(1) }", tapsets, true), "");
    const auto says = [&](const std::string &script, const std::string &text) {
        const std::string all = said(script, tapsets, true);
        EXPECT_NE(std::string::npos, all.find(text)) << all;
    };
    says("probe begin { println(of_process()) }",
         "of_process() asks a process or the running kernel, and the memory of a kernel has none");
    says("probe begin { println(@uderef(8, 16)) }",
         "this reads the memory of a process or the running kernel, and the memory of a kernel has none of it");
    says("probe begin { @kderef(8, 16) = 1 }", "the memory of a kernel can only be read");
    says("probe process.snapshot { println(1) } probe begin { println(2) }",
         "process.snapshot is never hit: nothing runs in the memory of a kernel; begin looks at it as it stands");
    says("probe timer.s(1) { println(1) }",
         "nothing of the script looks at the process: nothing runs in the memory of a kernel; begin looks at it as it "
         "stands");
}

// A name in two rows would have two answers.
TEST(PortCalls, EachHasOneRow) {
    const auto calls = port_calls();
    EXPECT_EQ(std::ranges::adjacent_find(calls, {}, &PortCall::name), calls.end());
    ASSERT_TRUE(find_port_call("tapir_port_pid"));
    EXPECT_EQ(find_port_call("tapir_port_pid")->need, PortNeed::Process);
    EXPECT_FALSE(find_port_call("tapir_port_pidx"));
    EXPECT_FALSE(find_port_call(""));
}

// Words decide only about functions that declare nothing.
TEST_F(StillMessages, DeclaredNeedsDecide) {
    const Tapsets tapsets = {{"t.stp",
                              "function hidden() %{ /* pragma:needs:kernel */ %}\n"
                              "function names() %{ /* pragma:needs:script */ /* tapir_port_cpu() */ %}\n"
                              "function says() %{ tapir_port_cpu(); %}"}};
    EXPECT_NE(said("probe process.snapshot { hidden() }", tapsets)
                  .find("hidden() asks the running kernel, and a core has none"),
              std::string::npos);
    EXPECT_EQ(said("probe process.snapshot { names() }", tapsets).find("asks the running kernel"), std::string::npos);
    EXPECT_NE(said("probe process.snapshot { says() }", tapsets).find("says() asks the running kernel"),
              std::string::npos);
}

TEST(StillClasses, WholeWordsCount) {
    const Reach &core = still_reach(target::StillKind::Core);
    EXPECT_EQ("tapir_port_cpu", refused_call_in("STAP_RETVALUE = tapir_port_cpu();", core));
    EXPECT_EQ("", refused_call_in("STAP_RETVALUE = tapir_port_cpu_clock_ns(0);", core));
    EXPECT_EQ("kread", refused_call_in("kread(p)", core));
    EXPECT_EQ("", refused_call_in("kread(p)", still_reach(target::StillKind::Kernel)));
    EXPECT_EQ("", refused_call_in("", core));
}

}  // namespace
}  // namespace tapir::resolve
