// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as values: each is kept once, for all who bring it; whole stacks decide; a full table is visible.
#include <set>
#include <thread>

#include "fixture.h"

extern "C" {
#include <tapir/interpreter.h>
#include "stacks_internal.h"
}

namespace tapir::test {
namespace {

constexpr u64 kKernel = 0xffffffff81000000;

class Stacks : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        tapir_host_stacks_create(TAPIR_STACK_BYTES_LEAST);
    }
    void TearDown() override {
        tapir_host.stack = nullptr;
        tapir_host.nstack = 0;
        tapir_host_stacks_destroy();
        Runtime::TearDown();
    }

    s64 kernel(std::vector<u64> frames, s64 limit = -1) {
        tapir_host.stack = frames.data();
        tapir_host.nstack = static_cast<u32>(frames.size());
        return tapir_stack_of_kernel(c_, limit);
    }
    std::string text(s64 number, u32 cap = 512) {
        std::vector<char> room(cap);
        tapir_stack_value_text(c_, number, room.data(), cap);
        return room.data();
    }
};

// A stack of the draft's frames, as a walk of user mode would leave it.
s64 keep(tapir_ctx *c, const std::vector<u64> &frames, u8 end = TAPIR_UNWIND_COMPLETE, u32 process = 0) {
    tapir_stack_draft *draft = tapir_stack_begin(c);
    for (u64 frame : frames)
        tapir_unwind_note(&draft->trace, frame, 0x1000);
    draft->head.user_end = end;
    draft->head.process = process;
    return tapir_stack_keep(draft);
}

TEST_F(Stacks, SameStackHasSameNumber) {
    const s64 one = kernel({kKernel, kKernel + 16});
    EXPECT_GE(one, TAPIR_STACK_FIRST);
    EXPECT_NE(one, kernel({kKernel + 16, kKernel}));
    EXPECT_NE(one, kernel({kKernel}));
    EXPECT_EQ(one, kernel({kKernel, kKernel + 16}));
    EXPECT_EQ(3u, tapir_stacks.kept);
}

TEST_F(Stacks, WithoutFramesIsEmpty) {
    EXPECT_EQ(TAPIR_STACK_EMPTY, kernel({}));
    EXPECT_EQ(TAPIR_STACK_EMPTY, kernel({kKernel}, 0));
    EXPECT_EQ("", text(TAPIR_STACK_EMPTY));
    tapir_stack_value_print(c_, TAPIR_STACK_EMPTY);
    EXPECT_EQ("", finish());
}

// A picture must have a box for it, so it is told apart from what has no such part.
TEST_F(Stacks, WithoutFramesKeepsTheReason) {
    const s64 exec = keep(c_, {}, TAPIR_UNWIND_EXEC);
    EXPECT_GE(exec, TAPIR_STACK_FIRST);
    EXPECT_NE(exec, keep(c_, {}, TAPIR_UNWIND_MACHINE));
    EXPECT_EQ(TAPIR_STACK_EMPTY, keep(c_, {}, TAPIR_UNWIND_CUT));
    ASSERT_TRUE(tapir_stack_find(static_cast<u64>(exec)));
    EXPECT_EQ(TAPIR_UNWIND_EXEC, tapir_stack_find(static_cast<u64>(exec))->user_end);
    EXPECT_EQ("", text(exec));
}

void note(s64 megabytes, const tapir_sample &what) {
    tapir_note_sample_time(megabytes, &what);
}

// The last one first; each with its label. Times without room are left out, the stacks stay.
TEST_F(Stacks, TimesOfSamplesAreAList) {
    const s64 one = kernel({kKernel});
    note(1, {"", one, 0, 7, false});
    note(1, {"nine bytes", one, 1, -8, true});
    const auto at = [](u64 number) { return reinterpret_cast<const tapir_sample_time *>(tapir_stack_at(number)); };
    const tapir_sample_time *last = at(tapir_stacks.times);
    EXPECT_EQ(-8, last->value);
    EXPECT_EQ(1u, last->waker);
    EXPECT_EQ("nine bytes", std::string(reinterpret_cast<const char *>(last + 1), last->label_bytes));
    EXPECT_EQ(1u, last->frames);
    const tapir_sample_time *first = at(last->before);
    EXPECT_EQ(0u, first->frames);
    EXPECT_EQ(static_cast<u64>(one), first->stack);
    EXPECT_EQ(7, first->value);
    EXPECT_EQ(0u, first->before);
    EXPECT_LE(first->time, last->time);
    // Half of a label would not be that of the sum.
    const u64 noted = tapir_stacks.times;
    note(1, {std::string(8192, 'x').c_str(), one, 0, 1, false});
    EXPECT_EQ(noted, tapir_stacks.times);
    unsigned kept = 2;
    for (unsigned i = 0; i < 100000; i++) {
        const u64 before = tapir_stacks.times;
        note(1, {"", one, 0, 1, false});
        kept += tapir_stacks.times != before;
    }
    // Half of the megabyte of all stacks.
    EXPECT_NEAR((TAPIR_STACK_BYTES_LEAST / 2.0) / sizeof(tapir_sample_time), kept, 3);
    EXPECT_EQ(one, kernel({kKernel}));
    EXPECT_GE(kernel({kKernel + 64}), TAPIR_STACK_FIRST);
}

// Frames of the kernel, of no file, and of files that are none are passed over.
TEST_F(Stacks, TellsTheInnermostInterpreter) {
    const auto frame = [](u64 object) { return TAPIR_FRAME_IN_OBJECT | object << TAPIR_FRAME_OBJECT | 0x10; };
    const tapir_unwind_table *const objects[] = {nullptr, nullptr, nullptr};
    const u32 interpreters[] = {2, 0, 1};
    tapir_host.objects = objects;
    tapir_host.interpreters = interpreters;
    tapir_host.nobjects = 3;
    EXPECT_STREQ("Two", tapir_stack_interpreter(keep(c_, {kKernel, frame(1), 0x7000, frame(0), frame(2), frame(0)})));
    EXPECT_STREQ("One", tapir_stack_interpreter(keep(c_, {frame(2), frame(0)})));
    EXPECT_STREQ("", tapir_stack_interpreter(keep(c_, {kKernel, frame(1), frame(7)})));
    EXPECT_STREQ("", tapir_stack_interpreter(TAPIR_STACK_FULL));
    tapir_host.nobjects = 0;
}

TEST_F(Stacks, HowItEndedBelongsToIt) {
    const std::vector<u64> frames = {0x1000, 0x2000};
    const s64 whole = keep(c_, frames);
    EXPECT_NE(whole, keep(c_, frames, TAPIR_UNWIND_CUT));
    EXPECT_NE(whole, keep(c_, frames, TAPIR_UNWIND_COMPLETE, 42));
    EXPECT_EQ(whole, keep(c_, frames));
    // The first frames that were asked for are not the whole.
    EXPECT_NE(kernel({kKernel}), kernel({kKernel, kKernel + 16}, 1));
}

// As many frames as were asked for are no loss; the end of the room is one.
TEST_F(Stacks, TellsALimitFromWhatWasAskedFor) {
    const std::vector<u64> deep(TAPIR_STACK_MAX + 5, kKernel);
    const auto end = [this, &deep](s64 limit) {
        return tapir_stack_find(static_cast<u64>(kernel(deep, limit)))->kernel_end;
    };
    EXPECT_EQ(TAPIR_UNWIND_CUT, end(3));
    EXPECT_EQ(TAPIR_UNWIND_CUT, end(TAPIR_STACK_MAX));
    EXPECT_EQ(TAPIR_UNWIND_LIMIT, end(TAPIR_STACK_MAX + 1));
    EXPECT_EQ(TAPIR_UNWIND_LIMIT, end(-1));
}

TEST_F(Stacks, TextIsOfAddresses) {
    const s64 one = kernel({kKernel, kKernel + 16});
    EXPECT_EQ("0xffffffff81000000 0xffffffff81000010 ", text(one));
    EXPECT_EQ("0xffffffff81000000 ", text(one, 24));
    // A place of an object is where the first walk found it.
    EXPECT_EQ("0x1234 0x5000 ", text(keep(c_, {TAPIR_FRAME_IN_OBJECT | 0x234, 0x5000})));
}

TEST_F(Stacks, RunsTellAddresses) {
    tapir_stack_draft *draft = tapir_stack_begin(c_);
    const u64 object = TAPIR_FRAME_IN_OBJECT, other = TAPIR_FRAME_IN_OBJECT | 1ull << TAPIR_FRAME_OBJECT;
    for (auto [frame, difference] : {std::pair<u64, u64>{object | 1, 0x100},
                                     {other | 2, 0x200},
                                     {other | 3, 0x200},
                                     {7, 0},
                                     {other | 4, 0x200},
                                     {object | 5, 0x100}})
        ASSERT_TRUE(tapir_unwind_note(&draft->trace, frame, difference));
    EXPECT_EQ(3u, draft->trace.runs);
    EXPECT_EQ("0x101 0x202 0x203 0x7 0x204 0x105 ", text(tapir_stack_keep(draft)));
}

TEST_F(Stacks, LinesAreOfTheKernelToo) {
    const s64 one = kernel({kKernel});
    tapir_stack_value_print(c_, one);
    const std::string printed = finish();
    EXPECT_EQ(0u, printed.find(" 0xffffffff81000000")) << printed;
    std::vector<char> room(512);
    tapir_stack_value_lines(c_, one, room.data(), 512);
    EXPECT_NE("", std::string(room.data()));
}

TEST_F(Stacks, LongestWalkFits) {
    tapir_stack_draft *draft = tapir_stack_begin(c_);
    u32 noted = 0;
    while (tapir_unwind_note(&draft->trace, TAPIR_FRAME_IN_OBJECT | noted, noted * 16))
        noted++;
    EXPECT_EQ(noted, draft->trace.frames);
    EXPECT_LE(draft->trace.frames + 2 * draft->trace.runs, static_cast<u32>(TAPIR_STACK_ROOM));
    const tapir_stack *stack = tapir_stack_find(static_cast<u64>(tapir_stack_keep(draft)));
    ASSERT_TRUE(stack);
    const u64 *words = tapir_stack_words(stack);
    EXPECT_EQ(17u * (noted - 1), tapir_unwind_address(words, words + stack->frames, stack->runs, noted - 1));
}

// A million of them do not fit into one megabyte; what was kept stays.
TEST_F(Stacks, FullTableIsVisible) {
    const s64 first = kernel({kKernel});
    s64 last = first;
    for (u64 i = 1; last != TAPIR_STACK_FULL && i < 1000000; i++)
        last = kernel(std::vector<u64>(100, kKernel + i));
    EXPECT_EQ(TAPIR_STACK_FULL, last);
    EXPECT_EQ(1u, tapir_stacks.refused);
    EXPECT_GT(tapir_stacks.kept, 1000u);
    EXPECT_LE(tapir_stacks.used, static_cast<u64>(TAPIR_STACK_PIECE));
    EXPECT_EQ(first, kernel({kKernel}));
    EXPECT_EQ("[stack table full]", text(TAPIR_STACK_FULL));
    tapir_stack_value_print(c_, TAPIR_STACK_FULL);
    EXPECT_EQ(" [stack table full]\n", finish());
    // Refused walks reserve nothing for good: shorter stacks still find room where there is some.
    const u64 used = tapir_stacks.used;
    for (u64 i = 0; i < 1000; i++)
        kernel(std::vector<u64>(100, kKernel - 100 - i));
    EXPECT_LE(tapir_stacks.used, used + 128 * 8);
}

TEST_F(Stacks, GrowsByPieces) {
    tapir_host_stacks_create(8 * TAPIR_STACK_BYTES_LEAST);
    std::set<s64> numbers;
    for (u64 i = 0; i < 7000; i++)
        numbers.insert(kernel(std::vector<u64>(100, kKernel + i)));
    EXPECT_EQ(7000u, numbers.size());
    EXPECT_EQ(0u, tapir_stacks.refused);
    EXPECT_GE(tapir_stacks.npieces, 6u);
    EXPECT_EQ(*numbers.begin(), kernel(std::vector<u64>(100, kKernel)));
}

// Threads stand for CPUs. Each comes with all stacks, in another order; each stack is kept once.
TEST_F(Stacks, KeptOnceByAll) {
    constexpr u32 kCpus = 4, kStacks = 3000;
    tapir_host_stacks_create(8 * TAPIR_STACK_BYTES_LEAST);
    std::vector<std::vector<s64>> numbers(kCpus, std::vector<s64>(kStacks));
    while (tapir_stacks.npieces < tapir_stacks.most) {
        tapir_stacks.used = tapir_stacks.npieces * static_cast<u64>(TAPIR_STACK_PIECE);
        tapir_port_stacks_low();
    }
    tapir_stacks.used = TAPIR_STACK_FIRST;
    std::vector<std::thread> threads;
    for (u32 cpu = 0; cpu < kCpus; cpu++)
        threads.emplace_back([&, cpu] {
            tapir_ctx *c = tapir_host_enter(cpu, TAPIR_LEVEL_HARDIRQ, tapir_module.probes);
            for (u32 i = 0; i < kStacks; i++) {
                const u32 which = cpu % 2 ? kStacks - 1 - i : i;
                numbers[cpu][which] = keep(c, std::vector<u64>(20, 0x1000 + which));
            }
            tapir_host_leave(c);
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(kStacks, tapir_stacks.kept);
    EXPECT_EQ(kStacks, std::set<s64>(numbers[0].begin(), numbers[0].end()).size());
    for (u32 cpu = 1; cpu < kCpus; cpu++)
        EXPECT_EQ(numbers[0], numbers[cpu]);
}

// A loader can set a variable to any number.
TEST_F(Stacks, NumbersOfNothingHaveNoStack) {
    const s64 one = kernel(std::vector<u64>(100, TAPIR_STACK_FIRST));
    for (s64 number : {s64{-1}, s64{2}, s64{7}, one + 1, one + 8, s64{TAPIR_STACK_PIECE - 1}, s64{1} << 40}) {
        EXPECT_FALSE(tapir_stack_find(static_cast<u64>(number)));
        EXPECT_EQ("", text(number));
    }
}

}  // namespace
}  // namespace tapir::test
