// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks that are finished later: each has a number of its own until it is, and then stands for what it turned out to
// be.
#include "fixture.h"

extern "C" {
#include <tapir/unfinished.h>

#include "stacks_internal.h"
}

namespace tapir::test {
namespace {

// A table of which all code is outermost, or all of it called from the word on top of the stack.
struct OneRule {
    tapir_unwind_table table = {};
    tapir_unwind_rule rule = {};
    tapir_unwind_saved saved = {};
    u32 place = 0, row_rule = 0, buckets[2] = {0, 1};
    char strings[8] = "/one";

    explicit OneRule(bool outermost) {
        table.magic = TAPIR_UNWIND_MAGIC;
        table.machine = TAPIR_UNWIND_X86_64;
        table.return_register = 16;
        table.stack_register = 7;
        table.nrules = table.nsaved = table.nrows = table.nbuckets = 1;
        table.nstrings = sizeof strings;
        rule.cfa = TAPIR_CFA_REGISTER;
        rule.base = 7;
        rule.offset = 8;
        rule.nsaved = 1;
        rule.flags = outermost ? TAPIR_RULE_OUTERMOST : TAPIR_RULE_PLAIN;
        saved.reg = 16;
        saved.how = TAPIR_SAVED_CFA;
        saved.offset = -8;
    }
};

constexpr u64 kLibrary = 0x10000, kProgram = 0x20000, kStack = 0x70000;

class Unfinished : public Runtime {
  protected:
    void SetUp() override {
        Runtime::SetUp();
        ASSERT_TRUE(tapir_unwind_valid(&library_, sizeof library_));
        tapir_host_stacks_create(TAPIR_STACK_BYTES_LEAST);
        tapir_host.objects = tables_;
        tapir_host.nobjects = 2;
        walk_.source = {nullptr, TAPIR_UNWIND_X86_64, nullptr, find, read, nullptr, nullptr};
        walk_.last.object = TAPIR_UNWIND_NO_NUMBER;
        walk_.frame.pc = kLibrary + 0x10;
        walk_.frame.regs[7] = kStack;
        tapir_host.walk = &walk_;
        tapir_host.unfinished = kept_.get();
        // The program's table is being made.
        tables_[0] = &library_.table;
        tables_[1] = nullptr;
        tapir_host.awaited = 2;
        memset(stack_, 0, sizeof stack_);
        stack_[0] = kProgram + 0x20;
    }
    void TearDown() override {
        tapir_host.walk = nullptr;
        tapir_host.unfinished = nullptr;
        tapir_host.kept = false;
        tapir_host.awaited = tapir_host.nobjects = 0;
        tapir_host_stacks_destroy();
        Runtime::TearDown();
    }

    // A hit: in the library, which the program has called.
    s64 hit(s64 limit = -1) {
        const s64 number = tapir_stack_of_user(c_, limit);
        if (!tapir_host.kept) return number;
        kept_->nmappings = 2;
        kept_->mappings[0] = {kLibrary, 0x1000, 0, 0, 0};
        kept_->mappings[1] = {kProgram, 0x1000, 0, 1, 0};
        return number;
    }
    u8 finish_walk() {
        const auto memory = std::make_unique<tapir_unwind_memory>();
        const auto draft = std::make_unique<tapir_stack_draft>();
        const u8 end = tapir_stack_finish(kept_.get(), draft.get(), memory.get());
        if (end != TAPIR_UNWIND_MORE) tapir_host.kept = false;
        return end;
    }
    void table_comes() {
        tables_[1] = &program_.table;
        tapir_host.awaited = 0;
    }
    std::string text(s64 number) {
        char room[512];
        tapir_stack_value_text(c_, number, room, sizeof room);
        return room;
    }
    static u8 end_of(s64 number) { return tapir_stack_find(static_cast<u64>(number))->user_end; }

    static const tapir_unwind_table *find(void *data, u64 address, u32 *place, u8 *end) {
        auto *w = static_cast<tapir_user_walk *>(data);
        const u32 object = address >= kProgram;
        const u64 start = object ? kProgram : kLibrary;
        const tapir_unwind_table *table = tables_[object];
        w->last = {start, table ? 0x1000ull : 0, 0, table, object, 0};
        *place = static_cast<u32>(address - start);
        *end = TAPIR_UNWIND_NO_TABLE;
        return table;
    }
    static int read(void *, void *dst, u64 address, u32 length) {
        if (address < kStack || address + length > kStack + sizeof stack_) return -1;
        memcpy(dst, reinterpret_cast<const char *>(stack_) + (address - kStack), length);
        return 0;
    }

    static inline const tapir_unwind_table *tables_[2];
    static inline u64 stack_[512];
    const OneRule library_{false}, program_{true};
    tapir_user_walk walk_ = {};
    std::unique_ptr<tapir_unfinished> kept_ = std::make_unique<tapir_unfinished>();
};

TEST_F(Unfinished, StandsForTheWholeStackThen) {
    const s64 number = hit();
    ASSERT_TRUE(tapir_host.kept);
    EXPECT_EQ("0x10010 0x20020 ", text(number));
    EXPECT_EQ(TAPIR_UNWIND_NO_TABLE, end_of(number) & ~TAPIR_STACK_UNFINISHED);
    EXPECT_EQ(TAPIR_UNWIND_MORE, finish_walk());
    EXPECT_EQ(TAPIR_UNWIND_NO_TABLE, end_of(number) & ~TAPIR_STACK_UNFINISHED);
    table_comes();
    EXPECT_EQ(TAPIR_UNWIND_COMPLETE, finish_walk());
    EXPECT_EQ("0x10010 0x20020 ", text(number));
    EXPECT_EQ(TAPIR_UNWIND_COMPLETE, end_of(number));
    // It is the one that a walk finds from now on, and there is one of that.
    const s64 later = hit();
    EXPECT_FALSE(tapir_host.kept);
    EXPECT_EQ(tapir_stack_find(static_cast<u64>(later)), tapir_stack_find(static_cast<u64>(number)));
    EXPECT_EQ(1u, tapir_stacks.kept);
}

// The frames that are known do not tell whether two are the same: what called them may differ.
TEST_F(Unfinished, IsNoOtherUntilThen) {
    const s64 first = hit();
    tapir_host.kept = false;
    EXPECT_NE(first, hit());
    tapir_host.kept = false;
    for (int i = 0; i < 1000; i++, tapir_host.kept = false)
        ASSERT_GE(hit(), TAPIR_STACK_FIRST);
    EXPECT_EQ(0u, tapir_stacks.refused);
    // One that is not to go on is not one of these either.
    tapir_host.unfinished = nullptr;
    const s64 cut_off = hit();
    EXPECT_EQ(cut_off, hit());
    EXPECT_EQ(TAPIR_UNWIND_NO_TABLE, end_of(cut_off));
}

TEST_F(Unfinished, HasNoMoreFramesThanWereAskedFor) {
    stack_[1] = kLibrary + 0x30;
    const s64 number = hit(2);
    ASSERT_TRUE(tapir_host.kept);
    EXPECT_EQ(1u, kept_->most);
    tables_[1] = &library_.table;
    tapir_host.awaited = 0;
    EXPECT_EQ(TAPIR_UNWIND_CUT, finish_walk());
    EXPECT_EQ("0x10010 0x20020 ", text(number));
    // All of it, this time.
    tables_[1] = nullptr;
    tapir_host.awaited = 2;
    const s64 all = hit();
    tables_[1] = &library_.table;
    tapir_host.awaited = 0;
    // The program goes on meanwhile.
    stack_[1] = 0;
    EXPECT_EQ(TAPIR_UNWIND_COMPLETE, finish_walk());
    EXPECT_EQ("0x10010 0x20020 0x10030 ", text(all));
}

// The file gets no table after all: both say so, and are the same.
TEST_F(Unfinished, StaysAsItIsWithoutATable) {
    const s64 first = hit();
    tapir_host.awaited = 0;
    EXPECT_EQ(TAPIR_UNWIND_NO_TABLE, finish_walk());
    const s64 second = hit();
    EXPECT_FALSE(tapir_host.kept);
    EXPECT_EQ(tapir_stack_find(static_cast<u64>(second)), tapir_stack_find(static_cast<u64>(first)));
    EXPECT_EQ("0x10010 0x20020 ", text(first));
}

TEST_F(Unfinished, KeepsItsFramesInAFullTable) {
    const s64 number = hit();
    while (tapir_stacks_reserve(8))
        ;
    table_comes();
    EXPECT_EQ(TAPIR_UNWIND_COMPLETE, finish_walk());
    EXPECT_EQ("0x10010 0x20020 ", text(number));
    EXPECT_EQ(TAPIR_UNWIND_NO_TABLE, end_of(number) & ~TAPIR_STACK_UNFINISHED);
}

// The known part is text; from the frame on whose table is missing, an item stands for the lines.
TEST_F(Unfinished, IsPrintedWhenItsTableIsThere) {
    tapir_print_string(c_, "before\n");
    tapir_ustack_print(c_);
    tapir_print_string(c_, "behind\n");
    ASSERT_TRUE(tapir_host.kept);
    EXPECT_FALSE(kept_->finish);
    tapir_handler_finish(c_);
    tapir_handler_start(c_, tapir_module.probes, 1000);
    const std::string items = take(TAPIR_REC_PRINT);
    const std::string known = "before\n 0x10010 [/one+0x10]\n";
    ASSERT_EQ(2 * TAPIR_ITEM_TEXT_BYTES + known.size() + sizeof(tapir_item_frames) + 7, items.size());
    EXPECT_EQ(known, items.substr(TAPIR_ITEM_TEXT_BYTES, known.size()));
    const size_t at = TAPIR_ITEM_TEXT_BYTES + known.size();
    tapir_item_frames frames = {};
    memcpy(&frames, items.data() + at, sizeof frames);
    EXPECT_EQ(sizeof frames, tapir_item_bytes(nullptr, 0, items.data() + at, static_cast<u32>(items.size() - at)));
    EXPECT_EQ(0u, tapir_item_bytes(nullptr, 0, items.data() + at, sizeof frames - 1));
    EXPECT_EQ(TAPIR_FRAMES_LINES, frames.form);
    EXPECT_EQ(kProgram + 0x20, frames.address);
    EXPECT_EQ("behind\n", items.substr(items.size() - 7));

    hit();
    table_comes();
    const auto memory = std::make_unique<tapir_unwind_memory>();
    u64 words[64];
    tapir_unwind_trace trace = {};
    trace.words = words;
    trace.room = 64;
    EXPECT_EQ(TAPIR_UNWIND_COMPLETE, tapir_unfinished_walk(kept_.get(), memory.get(), &trace));
    ASSERT_EQ(1u, trace.frames);
    char line[64];
    EXPECT_EQ(21u, tapir_unfinished_line(&trace, 0, TAPIR_FRAMES_LINES, line, sizeof line));
    EXPECT_STREQ(" 0x20020 [/one+0x20]\n", line);
    tapir_unfinished_line(&trace, 0, TAPIR_FRAMES_BRIEF, line, sizeof line);
    EXPECT_STREQ("0x20020\n", line);
    EXPECT_EQ(5u, tapir_unfinished_line(&trace, 0, TAPIR_FRAMES_LINES, line, 6));
    EXPECT_STREQ(" 0x2\n", line);
}

}  // namespace
}  // namespace tapir::test
