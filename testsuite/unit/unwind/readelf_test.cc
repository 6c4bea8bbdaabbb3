// SPDX-License-Identifier: GPL-2.0-or-later
// Rows against what readelf makes of the same file.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "load.h"

namespace tapir::unwind {
namespace {

const std::map<std::string, int> kNumbers = {
    {"rax", 0}, {"rdx", 1},  {"rcx", 2},  {"rbx", 3},  {"rsi", 4},  {"rdi", 5},  {"rbp", 6},  {"rsp", 7}, {"r8", 8},
    {"r9", 9},  {"r10", 10}, {"r11", 11}, {"r12", 12}, {"r13", 13}, {"r14", 14}, {"r15", 15}, {"ra", 16}, {"rip", 16}};

struct Expected {
    uint64_t address = 0;
    std::string cfa;
    std::map<int, std::string> registers;
};

std::vector<std::string> words_of(const std::string &line) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

// "FDE ... pc=A..B", "LOC CFA rbx ra", then "ADDRESS CFA RULE RULE".
std::vector<Expected> read_expected(const std::string &path) {
    std::vector<Expected> rows;
    std::vector<std::string> columns;
    bool in_fde = false;
    FILE *pipe = popen(("readelf -wNF " + path + " 2>/dev/null").c_str(), "r");
    char line[4096];
    while (pipe && fgets(line, sizeof line, pipe)) {
        std::vector<std::string> words = words_of(line);
        if (std::string(line).find(" FDE ") != std::string::npos ||
            std::string(line).find(" CIE ") != std::string::npos) {
            in_fde = std::string(line).find(" FDE ") != std::string::npos;
        } else if (!words.empty() && words[0] == "LOC") {
            columns = words;
        } else if (in_fde && !words.empty() && words[0].size() == 16 && words.size() == columns.size()) {
            Expected row;
            row.address = std::stoull(words[0], nullptr, 16);
            row.cfa = words[1];
            for (size_t i = 2; i < words.size(); i++)
                if (kNumbers.count(columns[i])) row.registers[kNumbers.at(columns[i])] = words[i];
            rows.push_back(row);
        }
    }
    if (pipe) pclose(pipe);
    return rows;
}

std::string register_name(int number) {
    for (const auto &[name, value] : kNumbers)
        if (value == number && name != "rip") return name;
    return "?";
}

std::string with_sign(int32_t offset) {
    return (offset < 0 ? "" : "+") + std::to_string(offset);
}

// A rule as readelf writes it.
std::string cfa_text(const tapir_unwind_rule &rule) {
    if (rule.cfa == TAPIR_CFA_REGISTER) return register_name(rule.base) + with_sign(rule.offset);
    return rule.cfa == TAPIR_CFA_NONE ? "none" : "exp";
}

std::string saved_text(const tapir_unwind_table &table, const tapir_unwind_rule &rule, int reg) {
    const tapir_unwind_saved *saved = tapir_unwind_saved_of(&table) + rule.saved;
    for (unsigned i = 0; i < rule.nsaved; i++) {
        if (saved[i].reg != reg) continue;
        if (saved[i].how == TAPIR_SAVED_CFA) return "c" + with_sign(saved[i].offset);
        if (saved[i].how == TAPIR_SAVED_LOST) return "u";
        if (saved[i].how == TAPIR_SAVED_VALUE) return "v" + with_sign(saved[i].offset);
        return "exp";
    }
    return "u";
}

void expect_equal_rows(const std::string &path, size_t at_least) {
    Object object(path);
    ASSERT_EQ(object.why, "");
    EXPECT_EQ(object.facts.damaged, 0u);
    EXPECT_EQ(object.facts.inexpressible, 0u);
    const std::vector<Expected> rows = read_expected(path);
    ASSERT_GE(rows.size(), at_least) << path;
    unsigned different = 0;
    for (size_t i = 0; i < rows.size() && different < 10; i++) {
        const Expected &row = rows[i];
        // If several rows have the same place, the last one is in force.
        if (i + 1 < rows.size() && rows[i + 1].address == row.address) continue;
        const auto place = object.file.place_of(row.address);
        ASSERT_TRUE(place.has_value()) << std::hex << row.address;
        const tapir_unwind_rule *rule = tapir_unwind_find_rule(&object.table.header(), static_cast<u32>(*place));
        ASSERT_NE(rule, nullptr);
        if (rule->flags & TAPIR_RULE_OUTERMOST) {
            EXPECT_EQ(row.registers.at(16), "u");
            continue;
        }
        std::string expected = row.cfa, actual = cfa_text(*rule);
        for (const auto &[reg, text] : row.registers) {
            expected += " " + (text == "s" ? "u" : text);
            actual += " " + saved_text(object.table.header(), *rule, reg);
        }
        if (expected == actual) continue;
        different++;
        ADD_FAILURE() << path << " at " << std::hex << row.address << ": " << actual << " instead of " << expected;
    }
    // Nothing that is not in the file, either.
    EXPECT_LE(object.table.header().nrows, 2 * rows.size());
}

TEST(UnwindTable, HasTheRowsOfTheCLibrary) {
    expect_equal_rows(library_path("libc.so.6"), 10000);
}
TEST(UnwindTable, HasTheRowsOfTheCxxLibrary) {
    expect_equal_rows(library_path("libstdc++.so.6"), 10000);
}
TEST(UnwindTable, HasTheRowsOfTheDynamicLinker) {
    expect_equal_rows("/lib64/ld-linux-x86-64.so.2", 1000);
}
TEST(UnwindTable, HasTheRowsOfAnOptimisedProgram) {
    expect_equal_rows(UNWIND_PROGRAM, 50);
}
TEST(UnwindTable, HasTheRowsOfThisProgram) {
    expect_equal_rows(std::filesystem::read_symlink("/proc/self/exe"), 1000);
}

}  // namespace
}  // namespace tapir::unwind
