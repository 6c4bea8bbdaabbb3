// SPDX-License-Identifier: GPL-2.0-or-later
// Where debug information is looked for.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "target/debug_info.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;

TEST(DebugPlaces, OfProgramsAreInEitherPlace) {
    char name[] = "/tmp/tapir-debug-places-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    const fs::path directory = name;
    std::ofstream(directory / "a.c") << "int here; int main(void) { return here; }\n";
    const std::string command =
        "cd '" + directory.string() +
        "' && mkdir -p kernel programs/.build-id/01 && gcc -g -Wl,--build-id=0x0123456789abcdef -o program a.c && "
        "objcopy --only-keep-debug program programs/.build-id/01/23456789abcdef.debug && "
        "strip --strip-debug program";
    ASSERT_EQ(system(command.c_str()), 0);
    std::string error;
    DebugSources sources;
    sources.debug_dir = directory / "kernel";
    const auto has_types = [&] {
        const DebugInfo info(sources);
        const DebugObject *object = info.program(directory / "program", error);
        return object && object->types;
    };
    EXPECT_FALSE(has_types()) << "there is none";
    sources.fetched_debug_dir = directory / "programs";
    EXPECT_TRUE(has_types()) << error;
    // As elfutils has it.
    sources.fetched_debug_dir.clear();
    const std::string programs = directory / "programs";
    for (const std::string &list : {"+:/usr/lib/debug:" + programs, ":.debug:" + programs, "-" + programs,
                                    "/usr/lib/debug:-" + programs, programs + ":/nowhere", "-:+" + programs}) {
        sources.debug_dir = list;
        EXPECT_TRUE(has_types()) << list << error;
    }
    for (const char *list : {"+:/usr/lib/debug:programs", ":.debug", "+"}) {
        sources.debug_dir = list;
        EXPECT_FALSE(has_types()) << list;
    }
    fs::remove_all(directory);
}

// A part of a kernel's debug information is installed, another was fetched: each module's is where it is.
TEST(DebugPlaces, OfModulesAreInEitherPlaceWhereverTheKernelIs) {
    char name[] = "/tmp/tapir-debug-places-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    const fs::path directory = name;
    std::ofstream(directory / "a.c") << "int here; int main(void) { return here; }\n";
    const std::string command = "cd '" + directory.string() +
                                "' && gcc -g -o program a.c && mkdir -p lib/modules/1/k installed/boot "
                                "installed/lib/modules/1/k fetched/boot fetched/lib/modules/1/k && "
                                "printf 'k/one.ko:\\nk/two.ko:\\nk/none.ko:\\n' >lib/modules/1/modules.dep && "
                                "cp program installed/boot/vmlinux-1 && cp program installed/lib/modules/1/k/one.ko && "
                                "cp program fetched/lib/modules/1/k/two.ko";
    ASSERT_EQ(system(command.c_str()), 0);
    DebugSources sources;
    sources.release = "1";
    sources.root = directory;
    sources.debug_dir = directory / "installed";
    const auto found = [&](const char *module) {
        const DebugInfo info(sources);
        return info.module(module) != nullptr;
    };
    EXPECT_TRUE(found("one"));
    EXPECT_FALSE(found("two"));
    sources.fetched_debug_dir = directory / "fetched";
    EXPECT_TRUE(found("one"));
    EXPECT_TRUE(found("two"));
    EXPECT_FALSE(found("none"));
    EXPECT_NE(DebugInfo(sources).kernel(), nullptr);
    // The other way round.
    std::swap(sources.debug_dir, sources.fetched_debug_dir);
    EXPECT_TRUE(found("one"));
    EXPECT_TRUE(found("two"));
    EXPECT_NE(DebugInfo(sources).kernel(), nullptr);
    sources.debug_dir = "+:.debug:" + sources.debug_dir + ":-" + sources.fetched_debug_dir;
    sources.fetched_debug_dir.clear();
    EXPECT_TRUE(found("one"));
    EXPECT_TRUE(found("two"));
    EXPECT_NE(DebugInfo(sources).kernel(), nullptr);
    fs::remove_all(directory);
}

// A script that was translated for a module's file is translated again when there is another one.
TEST(DebugPlaces, ModulesByPathAreRemembered) {
    char name[] = "/tmp/tapir-debug-places-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    const fs::path module = fs::path(name) / "one.ko";
    const DebugInfo info{DebugSources()};
    EXPECT_EQ(info.module(module.string()), nullptr);
    const std::string lookups = info.lookups();
    EXPECT_EQ(lookups, "module " + module.string() + "\n");
    const std::string before = info.lookup_stamp(lookups);
    std::ofstream(module) << "a module\n";
    const std::string after = info.lookup_stamp(lookups);
    EXPECT_NE(after, before);
    std::ofstream(module) << "another module\n";
    EXPECT_NE(info.lookup_stamp(lookups), after);
    fs::remove_all(name);
}

}  // namespace
}  // namespace tapir::target
