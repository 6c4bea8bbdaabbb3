// SPDX-License-Identifier: GPL-2.0-or-later
// Where the debug information of programs is looked for.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "target/debug_info.h"

namespace tapir::target {
namespace {

namespace fs = std::filesystem;

TEST(DebugPlaces, OfProgramsAreNotThoseOfAKernelThatIsElsewhere) {
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
    sources.program_debug_dir = directory / "programs";
    EXPECT_TRUE(has_types()) << error;
    fs::remove_all(directory);
}

}  // namespace
}  // namespace tapir::target
