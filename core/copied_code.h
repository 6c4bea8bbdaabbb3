// SPDX-License-Identifier: GPL-2.0-or-later
// Code of files that a process has copied to memory of no file, over the file's own mapping: to have it on huge pages,
// as Node.js, PHP and databases do.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace tapir::core {

struct CodeRange {
    uint64_t start = 0, end = 0;  // addresses
    uint64_t place = 0;           // of `start` in the file
};

// Where a file's code belongs, by the first bytes of the file and the address at which the process has them. Trusts
// nothing in there.
std::vector<CodeRange> code_ranges(std::string_view image, uint64_t address);

// Is it the name of memory that has none? The kernel names huge pages, and memory that is shared, by files of its own.
bool names_no_file(std::string_view name);

}  // namespace tapir::core
