// SPDX-License-Identifier: GPL-2.0-or-later
// Files that are cut off or have wrong bytes give an error or a valid table; so do the ones that say nothing.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "common/files.h"
#include "load.h"

namespace tapir::unwind {
namespace {

// The error, or "" if there is a table.
std::string try_table(std::string_view content, Table &table) {
    MemoryImage image(content);
    TableOptions options;
    options.path = "x";
    options.lines = true;
    TableFacts facts;
    return make_table(image, options, table, facts);
}

TEST(DamagedFile, SaysWhatIsWrong) {
    Table table;
    EXPECT_EQ(try_table("", table), "not an ELF file");
    EXPECT_EQ(try_table("#!/bin/sh\n" + std::string(100, ' '), table), "not an ELF file");
    std::string program = *read_file(UNWIND_PROGRAM);
    EXPECT_EQ(try_table(program.substr(0, 100), table), "its program headers are not in the file");
    std::string other = program;
    other[4] = 1;  // EI_CLASS
    EXPECT_EQ(try_table(other, table), "not a 64-bit, little-endian ELF file");
    other = program;
    other[18] = 8;  // e_machine
    EXPECT_EQ(try_table(other, table), "for a machine whose stacks are not walked");
}

TEST(DamagedFile, WithoutSectionHeadersHasItsRows) {
    std::string program = *read_file(UNWIND_PROGRAM);
    Table whole, bare;
    ASSERT_EQ(try_table(program, whole), "");
    for (size_t at : {40u, 41u, 42u, 43u, 60u, 61u})  // e_shoff, e_shnum
        program[at] = 0;
    ASSERT_EQ(try_table(program, bare), "");
    EXPECT_GT(whole.header().nrows, 50u);
    // But that those of the sections .init, .fini and .fini_array are found by their instructions.
    EXPECT_LE(bare.header().nrows, whole.header().nrows + 40);
    EXPECT_GE(bare.header().nrows + 20, whole.header().nrows);
    for (u32 i = 0; i < bare.header().nrows; i++) {
        const u32 place = tapir_unwind_places(&bare.header())[i];
        const tapir_unwind_rule *a = tapir_unwind_find_rule(&bare.header(), place);
        const tapir_unwind_rule *b = tapir_unwind_find_rule(&whole.header(), place);
        ASSERT_TRUE(a && b);
        if (a->cfa == TAPIR_CFA_NONE) continue;
        EXPECT_EQ(a->cfa, b->cfa);
        EXPECT_EQ(a->offset, b->offset);
    }
    EXPECT_GT(whole.header().nsymbols, 10u);
    EXPECT_EQ(bare.header().nsymbols, 0u);
}

TEST(DamagedFile, NeverHarms) {
    const std::string program = *read_file(UNWIND_PROGRAM);
    std::mt19937 random(20260704);
    unsigned tables = 0;
    for (unsigned round = 0; round < 3000; round++) {
        std::string damaged = program;
        if (round % 3 == 0) damaged.resize(random() % damaged.size());
        for (unsigned i = random() % 64; i && !damaged.empty(); i--)
            damaged[(round % 2 ? random() : random() % 4096) % damaged.size()] = static_cast<char>(random());
        // Also where it hurts most.
        if (round % 5 == 0 && damaged.size() > 64) damaged[random() % 64] = static_cast<char>(random());
        Table table;
        if (!try_table(damaged, table).empty()) continue;
        tables++;
        ASSERT_TRUE(tapir_unwind_valid(table.block().data(), table.block().size())) << round;
    }
    EXPECT_GT(tables, 100u);
}

TEST(DamagedTable, IsNotValid) {
    Object object(UNWIND_PROGRAM);
    ASSERT_EQ(object.why, "");
    const std::string good(object.table.block());
    EXPECT_TRUE(tapir_unwind_valid(good.data(), good.size()));
    EXPECT_FALSE(tapir_unwind_valid(good.data(), good.size() - 1));
    EXPECT_FALSE(tapir_unwind_valid(good.data(), 8));
    std::mt19937 random(1);
    // A search stays within a table that is taken for valid, even if it is wrong.
    for (unsigned round = 0; round < 2000; round++) {
        std::string damaged = good;
        for (unsigned i = 0; i <= random() % 4; i++)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        if (!tapir_unwind_valid(damaged.data(), damaged.size())) continue;
        const auto *table = reinterpret_cast<const tapir_unwind_table *>(damaged.data());
        for (u32 place = 0; place < 0x8000; place += 97) {
            tapir_unwind_find_rule(table, place);
            tapir_unwind_find_symbol(table, place);
        }
    }
}

}  // namespace
}  // namespace tapir::unwind
