// SPDX-License-Identifier: GPL-2.0-or-later
// Walks along chains of frames that followed one another before (tapir/unwind_chain.h): always the stacks that walks
// without any memory of earlier ones find.
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>
#include <sstream>

#include "stopped_process.h"

namespace tapir::unwind {
namespace {

std::vector<std::string> programs() {
    std::istringstream list(UNWIND_CHANGING);
    std::vector<std::string> found;
    for (std::string program; list >> program;)
        found.push_back(program);
    return found;
}

bool begins_with(const std::vector<uint64_t> &whole, const std::vector<uint64_t> &part) {
    return whole.size() >= part.size() && std::equal(part.begin(), part.end(), whole.begin());
}

// A frame that is at an address of no program is noted by steps only.
std::vector<uint64_t> without_wild(std::vector<uint64_t> addresses) {
    std::erase_if(addresses, [](uint64_t address) { return address >> 62 != 0; });
    return addresses;
}

void expect_same(const Stack &found, const Stack &expected, const std::string &what) {
    EXPECT_EQ(found.addresses, without_wild(expected.addresses)) << what;
    EXPECT_EQ(found.end, expected.end) << what;
}

constexpr unsigned kRounds = 60, kShapes = 8;

TEST(Chains, FollowStacksThatChange) {
    for (const std::string &program : programs()) {
        Process process(std::to_string(kRounds), program);
        ASSERT_TRUE(process.attach());
        unsigned stops = 0;
        while (process.proceed() && !HasFailure()) {
            const std::string what = program + " stop " + std::to_string(stops++);
            const Stack expected = process.walk(process.pid());
            EXPECT_EQ(expected.end, unsigned{TAPIR_UNWIND_COMPLETE}) << what;
            expect_same(process.record(process.pid()), expected, what);
            expect_same(process.record_by_words(process.pid()), expected, what);
            // libdwfl goes on at the end of a coroutine.
            EXPECT_TRUE(begins_with(process.walk_by_libdwfl(process.pid()), expected.addresses)) << what;
        }
        // jump() and qsort() get there more than once.
        EXPECT_GE(stops, kRounds * kShapes);
        EXPECT_GT(process.followed(), kRounds * kShapes) << program;
    }
}

TEST(Chains, FollowStacksAsGdb) {
    if (access("/usr/bin/gdb", X_OK) != 0) GTEST_SKIP() << "no gdb";
    for (const std::string &program : programs()) {
        Process process(std::to_string(kRounds), program);
        ASSERT_TRUE(process.attach());
        unsigned stops = 0, compared = 0;
        while (process.proceed() && !HasFailure()) {
            const Stack recorded = process.record_by_words(process.pid());
            // Each shape once, late.
            if (++stops < 300 || stops % 11 != 0 || compared == kShapes) continue;
            compared++;
            process.detach();
            EXPECT_TRUE(begins_with(process.walk_by_gdb(process.pid()), recorded.addresses)) << program << " " << stops;
            ASSERT_TRUE(process.attach());
        }
        EXPECT_EQ(compared, kShapes);
        EXPECT_GT(process.followed(), kRounds * kShapes) << program;
    }
}

// Words of the stack are replaced by others of it, by their neighbours, by addresses of code, and by numbers.
TEST(Chains, FollowRandomStacks) {
    for (const std::string &program : programs()) {
        Process process("10", program);
        ASSERT_TRUE(process.attach());
        for (unsigned stop = 0; stop < 60; stop++)
            ASSERT_TRUE(process.proceed());
        std::mt19937_64 random(1);
        for (unsigned stop = 0; stop < 16; stop++) {
            ASSERT_TRUE(process.proceed());
            const Stack whole = process.walk(process.pid());
            const uint64_t sp = process.stack_pointer(process.pid()) & ~uint64_t{7};
            std::vector<uint64_t> words;
            for (uint64_t word = 0; words.size() < 500 && process.read_word(sp + words.size() * 8, word);)
                words.push_back(word);
            ASSERT_GT(words.size(), 50u);
            for (unsigned round = 0; round < 400 && !HasFailure(); round++) {
                for (uint64_t many = random() % 3; many; many--) {
                    const size_t at = random() % words.size();
                    uint64_t &word = process.changed[sp + at * 8];
                    switch (random() % 5) {
                        case 0:
                            word = words[random() % words.size()];
                            break;
                        case 1:
                            word = words[at] + (random() % 65 - 32) * 8;
                            break;
                        case 2:
                            word = whole.addresses[random() % whole.addresses.size()];
                            break;
                        case 3:
                            word = words[at] + random() % 5;
                            break;
                        case 4:
                            word = random() >> random() % 64;
                            break;
                    }
                }
                const std::string what = program + " stop " + std::to_string(stop) + " round " + std::to_string(round);
                const Stack expected = process.walk(process.pid());
                expect_same(process.record(process.pid()), expected, what);
                expect_same(process.record_by_words(process.pid()), expected, what);
                // Most walks are along the same frames as the one before, up to the word that changed.
                if (random() % 4 == 0) process.changed.clear();
            }
            process.changed.clear();
        }
        EXPECT_GT(process.followed(), 10000u) << program;
    }
}

}  // namespace
}  // namespace tapir::unwind
