// SPDX-License-Identifier: GPL-2.0-or-later
// Walks that went on when a table had come, over what was kept of the process: as libdwfl has them.
#include <gtest/gtest.h>

#include "stopped_process.h"

namespace tapir::unwind {
namespace {

// All stacks of a program, each without the table of each mapping once. How often one was missing.
unsigned expect_whole(const std::string &mode) {
    Process process(mode);
    unsigned missing = 0;
    if (!process.attach()) {
        ADD_FAILURE() << "cannot attach";
        return 0;
    }
    for (const pid_t thread : process.threads()) {
        const std::vector<uint64_t> expected = process.walk_by_libdwfl(thread);
        for (size_t mapping = 0; mapping < process.mappings(); mapping++) {
            bool met = false;
            const Stack stack = process.record_later(thread, mapping, met);
            EXPECT_EQ(stack.end, unsigned{TAPIR_UNWIND_COMPLETE}) << mode << " without mapping " << mapping;
            EXPECT_EQ(stack.addresses, expected) << mode << " without mapping " << mapping;
            missing += met;
        }
    }
    process.detach();
    return missing;
}

TEST(Unfinished, OfFramesOfManyShapes) {
    EXPECT_GE(expect_whole("shapes"), 2u);
}
TEST(Unfinished, OfThreads) {
    EXPECT_GE(expect_whole("threads"), 33u);
}
TEST(Unfinished, ThroughALibrary) {
    EXPECT_GE(expect_whole("library"), 2u);
}
TEST(Unfinished, ThroughASignalHandler) {
    EXPECT_GE(expect_whole("signal"), 2u);
}

// A part of the stack that was not kept ends the walk at the same place, with the frames found until there.
TEST(Unfinished, EndsWithTheStackThatWasKept) {
    Process process("deep");
    ASSERT_TRUE(process.attach());
    const std::vector<uint64_t> expected = process.walk_by_libdwfl(process.pid());
    size_t before = 0;
    for (const uint32_t bytes : {0u, 1024u, 4096u}) {
        for (size_t mapping = 0; mapping < process.mappings(); mapping++) {
            bool met = false;
            const Stack stack = process.record_later(process.pid(), mapping, met, bytes);
            if (!met || stack.addresses.size() <= before) continue;
            EXPECT_EQ(stack.end, unsigned{TAPIR_UNWIND_NO_TABLE});
            ASSERT_LT(stack.addresses.size(), expected.size());
            EXPECT_TRUE(std::equal(stack.addresses.begin(), stack.addresses.end(), expected.begin()));
            before = stack.addresses.size();
        }
        EXPECT_GT(before, bytes / 1024);
    }
}

}  // namespace
}  // namespace tapir::unwind
