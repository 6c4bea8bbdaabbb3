// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/tracepoint_systems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tapir::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

std::vector<std::string> labels(const std::vector<Tracepoint> &tracepoints) {
    std::vector<std::string> labels;
    for (const Tracepoint &tracepoint : tracepoints)
        labels.push_back(tracepoint.label());
    return labels;
}

TEST(Tracepoints, ReadsTheMacrosOfHeaders) {
    std::vector<Tracepoint> found;
    read_trace_header(
        "#undef TRACE_SYSTEM\n"
        "#define TRACE_SYSTEM sched\n"
        "DECLARE_EVENT_CLASS(sched_class,\n"
        "TRACE_EVENT(sched_one,\n"
        "\tTP_PROTO(int sched_two),\n"
        "DEFINE_EVENT(sched_class, sched_two,\n"
        "DEFINE_EVENT_PRINT(sched_class,\n"
        "\tsched_three,\n"
        "DEFINE_OWN_EVENT( sched_four );\n"
        "DEFINE_PAIR_EVENT(timer)\n"
        "/* TRACE_EVENT(sched_five) */\n"
        "#define TRACE_SYSTEM other\n"
        "TRACE_EVENT_CONDITION(other_one,\n"
        "TRACE_EVENT(not_in_this_kernel,\n"
        "TRACE_EVENT(",
        {"other_one", "sched_five", "sched_four", "sched_one", "sched_three", "sched_two", "timer_entry", "timer_exit"},
        found);
    EXPECT_THAT(labels(found),
                ElementsAre("sched:sched_one", "sched:sched_two", "sched:sched_three", "sched:sched_four",
                            "sched:timer_entry", "sched:timer_exit", "other:other_one"));
}

// Debian's headers are in two packages, and those that were only unpacked name the second one from where they are.
TEST(Tracepoints, ReadsTheHeadersThatABuildDirectoryNames) {
    std::string pattern = fs::temp_directory_path() / "tapir-headers-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const fs::path root = pattern, build = root / "usr/src/flavour", common = root / "usr/src/common";
    fs::create_directories(build);
    fs::create_directories(common / "include/trace/events");
    std::ofstream(common / "include/trace/events/x.h") << "#define TRACE_SYSTEM system\nTRACE_EVENT(one,\n";
    TracepointSources sources;
    sources.build_dir = build;
    for (const std::string &named : {common.string(), std::string("$(tapir_root)/usr/src/common")}) {
        std::ofstream(build / "Makefile") << "tapir_root := somewhere\ninclude " << named << "/Makefile\n";
        EXPECT_THAT(labels(find_systems({"one"}, sources)), ElementsAre("system:one"));
    }
    fs::remove_all(root);
}

TEST(Tracepoints, PrefersTracefsOfTheRunningKernel) {
    std::string pattern = fs::temp_directory_path() / "tapir-tracefs-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const fs::path root = pattern;
    fs::create_directories(root / "sys/kernel/tracing/events/from_tracefs/one");
    fs::create_directories(root / "lib/modules/1.2.3/source/include/trace/events");
    std::ofstream(root / "lib/modules/1.2.3/source/include/trace/events/x.h")
        << "#define TRACE_SYSTEM from_header\nTRACE_EVENT(one,\n";
    fs::create_directories(root / "lib/modules/1.2.3/source/arch/any/include/asm/trace");
    std::ofstream(root / "lib/modules/1.2.3/source/arch/any/include/asm/trace/y.h")
        << "#define TRACE_SYSTEM from_arch\nTRACE_EVENT(two,\n";
    const std::string text = root;
    EXPECT_THAT(labels(find_systems({"two", "one", "one"}, {"1.2.3", text, "", true})),
                ElementsAre("from_tracefs:one", "two"));
    EXPECT_THAT(labels(find_systems({"two", "one"}, {"1.2.3", text, "", false})),
                ElementsAre("from_header:one", "from_arch:two"));
    EXPECT_THAT(labels(find_systems({"one"}, {"4.5.6", text, "", false})), ElementsAre("one"));
    fs::remove_all(root);
}

}  // namespace
}  // namespace tapir::target
