// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks of real processes, frame by frame as GDB and libdwfl have them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>

#include "stopped_process.h"

namespace tapir::unwind {
namespace {

std::string text(const std::vector<uint64_t> &addresses) {
    std::string all;
    char one[32];
    for (const uint64_t address : addresses) {
        snprintf(one, sizeof one, " %llx", static_cast<unsigned long long>(address));
        all += one;
    }
    return all;
}

// Stacks of all threads of a program in this shape.
std::vector<Stack> expect_as_others(const std::string &mode, size_t at_least) {
    Process process(mode);
    std::vector<Stack> stacks;
    if (!process.attach()) {
        ADD_FAILURE() << "cannot attach";
        return stacks;
    }
    const std::vector<pid_t> threads = process.threads();
    for (const pid_t thread : threads) {
        stacks.push_back(process.walk(thread));
        EXPECT_EQ(stacks.back().end, unsigned{TAPIR_UNWIND_COMPLETE}) << mode;
        EXPECT_EQ(text(stacks.back().addresses), text(process.walk_by_libdwfl(thread))) << mode;
        // The second time by what was noted the first time.
        for (int round = 0; round < 2; round++) {
            const Stack recorded = process.record(thread);
            EXPECT_EQ(text(recorded.addresses), text(stacks.back().addresses)) << mode;
            EXPECT_EQ(recorded.end, stacks.back().end) << mode;
        }
    }
    process.detach();
    EXPECT_GE(stacks[0].addresses.size(), at_least) << mode;
    if (access("/usr/bin/gdb", X_OK) == 0) {
        EXPECT_EQ(text(stacks[0].addresses), text(process.walk_by_gdb(threads[0]))) << mode;
        if (threads.size() > 1) {
            EXPECT_EQ(text(stacks.back().addresses), text(process.walk_by_gdb(threads.back()))) << mode;
        }
    }
    return stacks;
}

TEST(Walk, OfFramesOfManyShapes) {
    expect_as_others("shapes", 10);
}
TEST(Walk, OfDeepRecursion) {
    expect_as_others("deep", 1004);
}
TEST(Walk, OfThreads) {
    EXPECT_EQ(expect_as_others("threads", 5).size(), 33u);
}
TEST(Walk, ThroughALibrary) {
    expect_as_others("library", 7);
}
TEST(Walk, ThroughASignalHandler) {
    expect_as_others("signal", 15);
}
TEST(Walk, FromASignalHandlersOwnStack) {
    expect_as_others("altstack", 15);
}
TEST(Walk, ThroughAFault) {
    expect_as_others("fault", 12);
}
TEST(Walk, ThroughALibraryThatWasLoadedLater) {
    expect_as_others("plugin", 15);
}

TEST(Walk, EndsAtCodeThatIsInNoFile) {
    Process process("made");
    ASSERT_TRUE(process.attach());
    const Stack stack = process.walk(process.pid());
    EXPECT_EQ(stack.end, unsigned{TAPIR_UNWIND_NO_OBJECT});
    EXPECT_GE(stack.addresses.size(), 4u);
}

// Code that no table describes, by its frame pointers; at each of its instructions.
TEST(Walk, ThroughCodeWithFramePointersOnly) {
    Process process("framed");
    ASSERT_TRUE(process.attach());
    process.read_mappings();
    const Stack whole = process.walk(process.pid());
    ASSERT_EQ(whole.end, unsigned{TAPIR_UNWIND_COMPLETE});
    ASSERT_GE(whole.addresses.size(), 10u);
    const std::vector<uint64_t> callers(whole.addresses.end() - 7, whole.addresses.end());
    std::set<uint64_t> made;
    size_t most = 0;
    for (unsigned steps = 0; steps < 20000 && process.step(); steps++) {
        const Stack stack = process.walk(process.pid());
        const Stack recorded = process.record(process.pid());
        ASSERT_EQ(stack.end, unsigned{TAPIR_UNWIND_COMPLETE}) << text(stack.addresses);
        ASSERT_EQ(recorded.end, unsigned{TAPIR_UNWIND_COMPLETE}) << text(recorded.addresses);
        EXPECT_EQ(text(recorded.addresses), text(stack.addresses));
        ASSERT_GE(stack.addresses.size(), callers.size());
        EXPECT_EQ(text({stack.addresses.end() - 7, stack.addresses.end()}), text(callers));
        // No frame in between is left out.
        if (process.is_made(stack.addresses[0])) {
            made.insert(stack.addresses[0]);
            if (most == 0) most = stack.addresses.size();
            EXPECT_EQ(stack.addresses.size(), most);
        }
    }
    EXPECT_EQ(made.size(), 6u);
}

// There is a moment in which the function that runs has nothing on the stack.
TEST(Walk, WithTheReturnAddressInARegister) {
    Process process("vfork");
    ASSERT_TRUE(process.attach());
    unsigned steps = 0;
    std::string incomplete;
    while (steps < 20000 && process.step()) {
        steps++;
        for (const Stack &stack : {process.walk(process.pid()), process.record(process.pid())})
            if (stack.end != TAPIR_UNWIND_COMPLETE && incomplete.size() < 500)
                incomplete += std::to_string(stack.end) + text(stack.addresses) + "\n";
    }
    EXPECT_GT(steps, 10u);
    EXPECT_EQ(incomplete, "");
}

// Functions that compilers link into every program have no unwind information: the last runs destructors, and .fini.
TEST(Walk, AtTheEndOfAProgram) {
    Process process("library");
    ASSERT_TRUE(process.attach());
    unsigned steps = 0;
    std::string incomplete;
    while (steps < 50000 && process.step()) {
        steps++;
        const Stack stack = process.walk(process.pid());
        if (stack.end != TAPIR_UNWIND_COMPLETE && incomplete.size() < 500)
            incomplete += std::to_string(stack.end) + text(stack.addresses) + "\n";
    }
    EXPECT_GT(steps, 500u);
    EXPECT_LT(steps, 50000u);
    EXPECT_EQ(incomplete, "");
}

// The dynamic linker, the C library, linkage tables and the vDSO, at each instruction.
TEST(Walk, AtEachInstruction) {
    Process process("stretch");
    ASSERT_TRUE(process.attach());
    std::set<uint64_t> places;
    unsigned steps = 0, different = 0, incomplete = 0;
    // From inside raise(): back to the program, and on to the second stop.
    while (steps < 20000 && process.step()) {
        steps++;
        const Stack stack = process.walk(process.pid());
        const Stack recorded = process.record(process.pid());
        if (recorded.addresses != stack.addresses || recorded.end != stack.end)
            ADD_FAILURE() << "step " << steps << " recorded" << text(recorded.addresses) << "\ninstead of"
                          << text(stack.addresses);
        const bool complete = stack.end == TAPIR_UNWIND_COMPLETE;
        if (!stack.addresses.empty() && !places.insert(stack.addresses[0]).second) continue;
        incomplete += !complete;
        const std::vector<uint64_t> expected = process.walk_by_libdwfl(process.pid());
        if (stack.addresses == expected) continue;
        // libdwfl gives up in some places; what it has found by then must be right.
        if (complete && expected.size() < stack.addresses.size() &&
            std::equal(expected.begin(), expected.end(), stack.addresses.begin()))
            continue;
        if (++different < 5)
            ADD_FAILURE() << "step " << steps << " ends by " << stack.end << ":" << text(stack.addresses)
                          << "\ninstead of" << text(expected);
    }
    // How many depends on the processor and on where files are mapped.
    EXPECT_GT(places.size(), 600u);
    EXPECT_EQ(different, 0u) << "of " << places.size();
    // Two instructions after gcc's "leave" of a realigned stack are described wrongly.
    EXPECT_LE(incomplete * 100, places.size());
}

// Return probes replace return addresses.
TEST(Walk, ByOriginalReturnAddresses) {
    Process process("plugin");
    ASSERT_TRUE(process.attach());
    const Stack whole = process.walk(process.pid());
    process.probe_returns(true);
    EXPECT_EQ(text(process.walk(process.pid()).addresses), text(whole.addresses));
    process.probe_returns(false);
    const Stack stack = process.walk(process.pid());
    EXPECT_EQ(stack.end, unsigned{TAPIR_UNWIND_RETURN});
    EXPECT_EQ(stack.addresses.size(), 1u);
    EXPECT_EQ(text(process.record(process.pid()).addresses), text(stack.addresses));
    process.probe_returns(true);
    for (int round = 0; round < 2; round++)
        EXPECT_EQ(text(process.record(process.pid()).addresses), text(whole.addresses));
}

// Whichever read fails, the walk ends there with what it has.
TEST(Walk, EndsAtAFault) {
    Process process("shapes");
    ASSERT_TRUE(process.attach());
    const Stack whole = process.walk(process.pid());
    ASSERT_EQ(whole.end, unsigned{TAPIR_UNWIND_COMPLETE});
    size_t last = 0;
    unsigned nth = 1;
    for (;; nth++) {
        process.fail_read(nth);
        const Stack stack = process.walk(process.pid());
        if (stack.end == TAPIR_UNWIND_COMPLETE) break;
        ASSERT_EQ(stack.end, unsigned{TAPIR_UNWIND_FAULT});
        ASSERT_GE(stack.addresses.size(), last);
        last = stack.addresses.size();
        ASSERT_TRUE(std::equal(stack.addresses.begin(), stack.addresses.end(), whole.addresses.begin()));
    }
    // Frames are read several at once.
    EXPECT_GE(nth, 4u);
}

}  // namespace
}  // namespace tapir::unwind
