// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of code, by which a copy of it is known again, against what the files have in their executable segments.
#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "common/files.h"
#include "load.h"

namespace tapir::unwind {
namespace {

void expect_samples(const std::string &path) {
    SCOPED_TRACE(path);
    const Object object(path);
    ASSERT_EQ(object.why, "");
    const tapir_unwind_table &table = object.table.header();
    const std::string file = *read_file(path);
    Elf64_Ehdr header;
    ASSERT_GE(file.size(), sizeof header);
    memcpy(&header, file.data(), sizeof header);
    std::vector<Elf64_Phdr> code;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, file.data() + header.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_LOAD && part.p_flags & PF_X) code.push_back(part);
        if (part.p_type == PT_LOAD && part.p_offset == 0) {
            EXPECT_EQ(table.lead, static_cast<u32>(part.p_vaddr));
        }
    }
    ASSERT_EQ(code.size(), 1u);
    EXPECT_EQ(table.code, code[0].p_offset);
    EXPECT_EQ(table.code_end, code[0].p_offset + code[0].p_filesz);
    EXPECT_EQ(table.bias, static_cast<u32>(code[0].p_vaddr - code[0].p_offset));
    std::set<u32> places;
    for (const tapir_unwind_sample &sample : table.samples) {
        places.insert(sample.place);
        ASSERT_LE(sample.place + sizeof sample.words, table.code_end);
        EXPECT_EQ(memcmp(sample.words, file.data() + sample.place, sizeof sample.words), 0) << sample.place;
    }
    ASSERT_EQ(places.size(), size_t{TAPIR_UNWIND_SAMPLES});
    // Wherever a part of the code is copied that is a sixteenth of it, there is one.
    u32 before = table.code;
    for (u32 place : places) {
        EXPECT_GE(place, table.code);
        EXPECT_LE(place - before, (table.code_end - table.code) / 16);
        before = place;
    }
    EXPECT_LE(table.code_end - before, (table.code_end - table.code) / 16);
}

TEST(Samples, AreOfTheFilesCode) {
    expect_samples(library_path("libc.so.6"));
    expect_samples(library_path("libstdc++.so.6"));
    expect_samples(UNWIND_PROGRAM);
}

}  // namespace
}  // namespace tapir::unwind
