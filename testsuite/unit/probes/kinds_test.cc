// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "probes/form.h"
#include "program_points.h"
#include "testsuite/trees.h"

namespace tapir::probes {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Kinds : public testing::Test {
  protected:
    // The only attachment of a point that resolves without a message.
    Attach one(const std::vector<std::string> &components) {
        std::vector<Attach> found;
        EXPECT_TRUE(resolve(point(components), {symbols_, diagnostics_, debug_}, found));
        EXPECT_EQ(render_all(diagnostics_, true), "");
        if (found.size() == 1) return found[0];
        ADD_FAILURE() << found.size() << " attachments";
        return {};
    }

    static std::vector<std::string> labels(const Attach &attach) {
        std::vector<std::string> labels;
        for (const FunctionSite &site : attach.sites)
            labels.push_back(site.label);
        return labels;
    }

    target::DebugInfo debug_;
    target::Symbols symbols_ = target::Symbols::of({"vfs_read", "vfs_write"});
    Diagnostics diagnostics_;
};

TEST_F(Kinds, BeginEndAndErrorHaveAnOrder) {
    EXPECT_EQ(one({"begin"}).as<SessionPhase>().phase, Phase::Begin);
    EXPECT_EQ(one({"end"}).as<SessionPhase>().phase, Phase::End);
    EXPECT_EQ(one({"error"}).as<SessionPhase>().phase, Phase::Error);
    EXPECT_EQ(one({"error(7)"}).as<SessionPhase>().order, 7);
    EXPECT_EQ(one({"begin(-9223372036854775808)"}).as<SessionPhase>().order, INT64_MIN);
    EXPECT_EQ(one({"end"}).as<SessionPhase>().order, 0);
}

TEST_F(Kinds, TimersAreInNanosecondsOrJiffies) {
    const std::pair<const char *, uint64_t> units[] = {{"s", 1000000000}, {"sec", 1000000000}, {"ms", 1000000},
                                                       {"msec", 1000000}, {"us", 1000},        {"usec", 1000},
                                                       {"ns", 1},         {"nsec", 1}};
    for (const auto &[unit, scale] : units) {
        Attach attach = one({"timer", std::string(unit) + "(3)", "randomize(2)"});
        EXPECT_EQ(attach.kind, Kind::Timer);
        EXPECT_EQ(attach.as<Interval>().unit, TimerUnit::Nanoseconds);
        EXPECT_EQ(attach.as<Interval>().period, 3 * scale) << unit;
        EXPECT_EQ(attach.as<Interval>().randomize, 2 * scale) << unit;
        EXPECT_EQ(one({"timer", std::string(unit) + "(1)"}).as<Interval>().randomize, 0u);
    }
    Attach jiffies = one({"timer", "jiffies(10)", "randomize(10)"});
    EXPECT_EQ(jiffies.as<Interval>().unit, TimerUnit::Jiffies);
    EXPECT_EQ(jiffies.as<Interval>().period, 10u);
    EXPECT_EQ(jiffies.as<Interval>().randomize, 10u);
    EXPECT_EQ(one({"timer", "hz(100)"}).as<Interval>().period, 10000000u);
    EXPECT_EQ(one({"timer", "ms(100)"}).point, "timer.ms(100)");
}

TEST_F(Kinds, PerformanceEvents) {
    Attach profile = one({"timer", "profile"});
    EXPECT_EQ(profile.kind, Kind::Perf);
    EXPECT_EQ(profile.as<PerfEvent>().type, 1u);
    EXPECT_EQ(profile.as<PerfEvent>().config, 0u);
    EXPECT_EQ(profile.as<PerfEvent>().period, 0u);
    EXPECT_EQ(profile.as<PerfEvent>().frequency, 0u);
    EXPECT_EQ(one({"timer", "profile", "freq", "hz(99)"}).as<PerfEvent>().frequency, 99u);
    Attach plain = one({"perf", "type(3)", "config(65536)"});
    EXPECT_EQ(plain.as<PerfEvent>().type, 3u);
    EXPECT_EQ(plain.as<PerfEvent>().config, 65536u);
    EXPECT_EQ(plain.as<PerfEvent>().period, 1000000u);
    EXPECT_EQ(one({"perf", "type(4294967295)", "config(-1)"}).as<PerfEvent>().config, UINT64_MAX);
    EXPECT_EQ(one({"perf", "type(0)", "config(0)", "sample(5)"}).as<PerfEvent>().period, 5u);
    Attach hertz = one({"perf", "type(0)", "config(0)", "hz(7)"});
    EXPECT_EQ(hertz.as<PerfEvent>().period, 0u);
    EXPECT_EQ(hertz.as<PerfEvent>().frequency, 7u);
    EXPECT_EQ(hertz.as<PerfEvent>().counter + hertz.as<PerfEvent>().program, "");
    EXPECT_EQ(one({"perf", "type(0)", "config(1)", "counter(\"insns\")"}).as<PerfEvent>().counter, "insns");
    Attach program = one({"perf", "type(1)", "config(2)", "sample(9)", "process(\"/bin/sh\")"});
    EXPECT_EQ(program.as<PerfEvent>().program, "/bin/sh");
    EXPECT_EQ(program.as<PerfEvent>().period, 9u);
}

// A name, not a path: it is looked for as process("NAME") is.
TEST_F(Kinds, EventsOfThreads) {
    const Attach attach = one({"perf", "type(1)", "config(2)", "process(\"sh\")", "counter(\"faults\")"});
    EXPECT_EQ(attach.kind, Kind::TaskCounter);
    const auto &counter = attach.as<TaskCounter>();
    EXPECT_EQ(counter.event.type, 1u);
    EXPECT_EQ(counter.event.config, 2u);
    EXPECT_EQ(counter.event.counter, "faults");
    EXPECT_EQ(counter.tasks.user.pid, UserCode::kAll);
    EXPECT_THAT(counter.tasks.user.path, testing::EndsWith("sh"));
    EXPECT_NE(counter.tasks.start, 0u);
    EXPECT_EQ(attach.point, "perf.type(1).config(2).process(\"" + counter.tasks.user.path + "\").counter(\"faults\")");
    EXPECT_EQ(one({"perf", "type(1)", "config(2)", "process(" + std::to_string(getpid()) + ")", "counter(\"x\")"})
                  .as<TaskCounter>()
                  .tasks.user.pid,
              getpid());
}

TEST_F(Kinds, WatchedMemory) {
    Attach symbol = one({"kernel", "data(\"jiffies\")", "write"});
    EXPECT_EQ(symbol.kind, Kind::Data);
    EXPECT_EQ(symbol.as<Watch>().symbol, "jiffies");
    EXPECT_EQ(symbol.as<Watch>().length, 1u);
    EXPECT_FALSE(symbol.as<Watch>().reads);
    EXPECT_EQ(symbol.point, "kernel.data(\"jiffies\").write");
    EXPECT_TRUE(one({"kernel", "data(\"jiffies\")", "rw"}).as<Watch>().reads);
    Attach address = one({"kernel", "data(64)", "length(8)", "rw"});
    EXPECT_EQ(address.as<Watch>().symbol, "");
    EXPECT_EQ(address.as<Watch>().address, 64u);
    EXPECT_EQ(address.as<Watch>().length, 8u);
    EXPECT_TRUE(address.as<Watch>().reads);
}

TEST_F(Kinds, ProcfsFiles) {
    Attach read = one({"procfs(\"a/b\")", "umask(18)", "read", "maxsize(4096)"});
    EXPECT_EQ(read.kind, Kind::Procfs);
    EXPECT_EQ(read.as<ProcfsFile>().path, "a/b");
    EXPECT_FALSE(read.as<ProcfsFile>().write);
    EXPECT_EQ(read.as<ProcfsFile>().umask, 022u);
    EXPECT_EQ(read.as<ProcfsFile>().max_size, 4096u);
    ASSERT_TRUE(read.scope);
    EXPECT_TRUE(read.scope->by_function("value"));
    EXPECT_FALSE(read.scope->by_function("other"));
    Attach write = one({"procfs", "write"});
    EXPECT_EQ(write.as<ProcfsFile>().path, "command");
    EXPECT_TRUE(write.as<ProcfsFile>().write);
    EXPECT_FALSE(write.as<ProcfsFile>().umask);
}

TEST_F(Kinds, PacketFilters) {
    Attach filter =
        one({"netfilter", "hook(\"NF_INET_LOCAL_OUT\")", "pf(\"NFPROTO_IPV6\")", "priority(\"NF_IP_PRI_FIRST\")"});
    EXPECT_EQ(filter.kind, Kind::Netfilter);
    EXPECT_EQ(filter.as<PacketFilter>().family, 10);
    EXPECT_EQ(filter.as<PacketFilter>().hook, 3);
    EXPECT_EQ(filter.as<PacketFilter>().priority, INT32_MIN);
    Attach numbers = one({"netfilter", "pf(\"7\")", "hook(\"4\")"});
    EXPECT_EQ(numbers.as<PacketFilter>().family, 7);
    EXPECT_EQ(numbers.as<PacketFilter>().hook, 4);
    EXPECT_EQ(numbers.as<PacketFilter>().priority, 0);
}

TEST_F(Kinds, FunctionsBySymbol) {
    Attach attach = one({"kernel", "function(\"vfs_read\")"});
    EXPECT_EQ(attach.kind, Kind::Function);
    EXPECT_THAT(labels(attach), ElementsAre("vfs_read"));
    EXPECT_FALSE(attach.as<KernelCode>().kprobe);
    EXPECT_FALSE(attach.from_wildcard);
    EXPECT_EQ(attach.point, "kernel.function(\"vfs_read\")");
    Attach kprobe = one({"kprobe", "function(\"vfs_*\")"});
    EXPECT_TRUE(kprobe.as<KernelCode>().kprobe);
    EXPECT_TRUE(kprobe.from_wildcard);
    EXPECT_THAT(labels(kprobe), ElementsAre("vfs_read", "vfs_write"));
    EXPECT_EQ(kprobe.point, "kprobe.function(\"vfs_read\")");
}

// A wildcard would hit them besides the function itself, for the same call.
TEST_F(Kinds, PiecesOfFunctionsAreMeantByName) {
    symbols_ = target::Symbols::of({"vfs_read", "vfs_read.isra.0", "vfs_read.part.0", "vfs_read.part.0.isra.0"});
    EXPECT_THAT(labels(one({"kprobe", "function(\"vfs_*\")"})), ElementsAre("vfs_read", "vfs_read.isra.0"));
    EXPECT_THAT(labels(one({"kprobe", "function(\"vfs_read.part.0\")"})), ElementsAre("vfs_read.part.0"));
}

TEST_F(Kinds, AddressesAndSymbolsOfModules) {
    Attach absolute = one({"kprobe", "statement(4096)", "absolute"});
    EXPECT_EQ(absolute.kind, Kind::Statement);
    EXPECT_EQ(absolute.point, "kprobe.statement(0x1000).absolute");
    ASSERT_EQ(absolute.sites.size(), 1u);
    EXPECT_EQ(absolute.sites[0].symbol, "");
    EXPECT_EQ(absolute.sites[0].offset, 4096);
    EXPECT_EQ(one({"kernel", "statement(4096)", "absolute"}).point, "kernel.statement(0x1000).absolute");

    Attach symbol = one({"kprobe", "module(\"snd-pcm\")", "function(\"snd_pcm_open\")", "return", "maxactive(7)"});
    EXPECT_EQ(symbol.kind, Kind::Return);
    EXPECT_EQ(symbol.as<KernelCode>().maxactive, 7u);
    EXPECT_EQ(symbol.sites[0].symbol, "snd_pcm:snd_pcm_open");
    EXPECT_EQ(symbol.point, "kprobe.module(\"snd-pcm\").function(\"snd_pcm_open\").return.maxactive(7)");
    EXPECT_FALSE(symbol.from_wildcard);
}

TEST_F(Kinds, UnknownNamesAreAcceptedWithAWarning) {
    symbols_ = target::Symbols();
    std::vector<Attach> found;
    EXPECT_TRUE(resolve(point({"kernel", "function(\"anything\")"}), {symbols_, diagnostics_, debug_}, found));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_THAT(labels(found[0]), ElementsAre("anything"));
    ASSERT_EQ(diagnostics_.all().size(), 1u);
    EXPECT_EQ(diagnostics_.all()[0]->tag, Tag::SymbolUnchecked);
}

TEST_F(Kinds, NeverIsResolvedButNotAttached) {
    EXPECT_EQ(one({"never"}).kind, Kind::Never);
}

TEST_F(Kinds, WhatNoFormHasIsNotKnown) {
    std::vector<Attach> found;
    for (const auto &components : std::vector<std::vector<std::string>>{{"begin", "x"},
                                                                        {"begin(\"x\")"},
                                                                        {"timer"},
                                                                        {"timer", "s"},
                                                                        {"timer", "s(1)", "x"},
                                                                        {"kernel"},
                                                                        {"nothing"}}) {
        EXPECT_FALSE(is_known(point(components))) << components[0];
        EXPECT_FALSE(resolve(point(components), {symbols_, diagnostics_, debug_}, found));
    }
    EXPECT_THAT(found, IsEmpty());
    EXPECT_FALSE(diagnostics_.has_errors());
}

TEST(KindList, EveryKindHasItsKernelSideOrSaysThatItHasNone) {
    std::set<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(Kind::Snapshot); ++i) {
        const KindFacts &kind = facts(static_cast<Kind>(i));
        EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
        const std::string file = tapir::source_dir() + "/kmod/kind_" + std::string(kind.name) + ".c";
        EXPECT_NE(std::filesystem::exists(file), kind.unattached || kind.still) << file;
    }
    EXPECT_EQ(facts(Kind::ProcessSyscall).name, "process_syscall");
    EXPECT_EQ(facts(Kind::Never).name, "never");
    EXPECT_TRUE(facts(Kind::Snapshot).alone && facts(Kind::Begin).alone);
    EXPECT_EQ(facts(Kind::Tracepoint).leaf, LeafForm::ARGUMENTS);
    EXPECT_TRUE(facts(Kind::Uretprobe).in_program && facts(Kind::Uretprobe).at_return);
}

TEST_F(Kinds, EveryFormOfTheTablesIsFoundByItself) {
    for (const ListedKind &kind : kinds()) {
        for (const Form &form : kind.ops->forms) {
            std::vector<std::string> components;
            for (const FormComponent &part : parse_form(form.text)) {
                if (part.arg == FormComponent::Arg::Anything) {
                    components.push_back("other");
                    break;
                }
                std::string arg = part.arg == FormComponent::Arg::Number ? "(1)"
                                  : part.arg == FormComponent::Arg::String && part.name != "function" &&
                                          part.name != "data" && part.name != "procfs" && part.name != "process"
                                      ? "(\"2\")"
                                  : part.name == "process" && part.arg == FormComponent::Arg::String ? "(\"/bin/sh\")"
                                  : part.arg == FormComponent::Arg::String                           ? "(\"vfs_read\")"
                                                                                                     : "";
                components.push_back(part.name + arg);
            }
            std::vector<Attach> found;
            const size_t errors = diagnostics_.error_count();
            EXPECT_TRUE(resolve(point(components), {symbols_, diagnostics_, debug_}, found)) << form.text;
            // There is no debug information here, and no headers.
            const std::string text(form.text);
            const auto has = [&](const char *part) { return text.find(part) != std::string::npos; };
            const bool needs_it = text.starts_with("module") || text.starts_with("kernel.statement") ||
                                  has("kernel.function(number)") || has(".callee") || has(".label") || has(".inline") ||
                                  has("trace") || text.starts_with("kernel.syscall(");
            // Whether these programs and processes are there, and have a PLT, is up to the machine.
            const bool of_processes = (kind.name == "process" || kind.name == "user_data" ||
                                       kind.name == "task_counter" || kind.name == "frame") &&
                                      form.refused.empty();
            if (text.ends_with(".plt") || text.ends_with(".plt.return") || of_processes) {
                EXPECT_EQ(found.size() + diagnostics_.error_count() - errors, 1u) << form.text;
                continue;
            }
            // No program has such a place.
            const bool refused = !form.refused.empty() || text.starts_with("process") || text.ends_with(".process") ||
                                 (needs_it && !text.ends_with(".absolute"));
            EXPECT_EQ(found.size(), refused ? 0u : 1u) << form.text;
            EXPECT_EQ(diagnostics_.error_count() - errors, refused ? 1u : 0u) << form.text;
        }
    }
}

TEST_F(Kinds, WildcardsOverNames) {
    auto texts = [](const std::vector<ast::ProbePoint> &points) {
        std::vector<std::string> result;
        for (const ast::ProbePoint &p : points)
            result.push_back(p.str());
        return result;
    };
    EXPECT_THAT(texts(expand_names(point({"e*"}))), ElementsAre("end", "error"));
    EXPECT_THAT(texts(expand_names(point({"e*(2)"}))), ElementsAre("end(2)", "error(2)"));
    EXPECT_THAT(texts(expand_names(point({"*", "*s(3)", "rand*(1)"}))), Contains("timer.ms(3).randomize(1)"));
    EXPECT_THAT(
        texts(expand_names(point({"k*", "function(\"f\")", "c*"}))),
        ElementsAre("kernel.function(\"f\").call", "kernel.function(\"f\").callees", "kprobe.function(\"f\").call"));
    EXPECT_THAT(texts(expand_names(point({"**"}))),
                ElementsAre("begin", "end", "error", "timer.profile", "timer.profile.tick", "procfs.read",
                            "procfs.write", "process.plt", "process.plt.return", "process.begin", "process.end",
                            "process.thread.begin", "process.thread.end", "process.syscall", "process.syscall.return",
                            "process.snapshot", "process.thread.snapshot", "kernel.syscall", "kernel.syscall.return",
                            "never", "kernel.task.snapshot"));
    EXPECT_THAT(
        texts(expand_names(point({"kernel", "function(\"f\")", "**"}))),
        ElementsAre("kernel.function(\"f\").call", "kernel.function(\"f\").return", "kernel.function(\"f\").inline",
                    "kernel.function(\"f\").exported", "kernel.function(\"f\").callees"));
}

TEST_F(Kinds, DoubleStarsGoOnOverComponents) {
    auto texts = [](const std::vector<ast::ProbePoint> &points) {
        std::vector<std::string> result;
        for (const ast::ProbePoint &p : points)
            result.push_back(p.str());
        return result;
    };
    EXPECT_THAT(texts(expand_names(point({"pro**gin"}))), ElementsAre("process.begin", "process.thread.begin"));
    EXPECT_THAT(texts(expand_names(point({"process(\"/p\")", "**", "begin"}))),
                ElementsAre("process(\"/p\").thread.begin"));
    // An argument is that of the last component.
    EXPECT_THAT(texts(expand_names(point({"timer", "prof**hz(3)"}))), ElementsAre("timer.profile.freq.hz(3)"));
    EXPECT_THAT(texts(expand_names(point({"timer", "m**ize(3)"}))), IsEmpty());
    EXPECT_THAT(texts(expand_names(point({"process", "**", "**"}))),
                ElementsAre("process.plt.return", "process.thread.begin", "process.thread.end",
                            "process.syscall.return", "process.thread.snapshot"));
}

TEST_F(Kinds, AlternativesAreWhatMayFollow) {
    EXPECT_THAT(alternatives(point({"timer", "x"}), 1), Contains("hz(number)"));
    EXPECT_THAT(alternatives(point({"timer", "ms(1)", "x"}), 2), ElementsAre("randomize(number)"));
    EXPECT_THAT(alternatives(point({"x"}), 0), Contains("begin(number)"));
    EXPECT_THAT(alternatives(point({"begin", "x"}), 1), IsEmpty());
}

TEST_F(Kinds, FormTextsAreThoseThatWork) {
    EXPECT_THAT(form_texts(), Contains("kernel.function(string).call"));
    EXPECT_THAT(form_texts(), Contains("timer.profile"));
    EXPECT_THAT(form_texts(), Not(Contains("process.insn")));
}

}  // namespace
}  // namespace tapir::probes
