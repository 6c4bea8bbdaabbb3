// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of the line table that belong to a function.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dwarf/object.h"

namespace tapir::dwarf {

// Visits those within a function's code, with their addresses. libdw has them sorted by address.
template <class Visit>
void for_each_row(Dwarf_Die *function, Visit visit) {
    Dwarf_Die unit;
    Dwarf_Lines *lines = nullptr;
    size_t count = 0;
    if (!dwarf_diecu(function, &unit, nullptr, nullptr) || dwarf_getsrclines(&unit, &lines, &count) != 0) return;
    const auto address_of = [&](size_t row) {
        Dwarf_Addr address = 0;
        dwarf_lineaddr(dwarf_onesrcline(lines, row), &address);
        return address;
    };
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(function, at, &base, &begin, &end)) > 0;) {
        size_t low = 0;
        for (size_t high = count; low < high;) {
            const size_t middle = low + (high - low) / 2;
            if (address_of(middle) < begin)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < count && address_of(low) < end; ++low) {
            Dwarf_Line *const row = dwarf_onesrcline(lines, low);
            bool ends = false;  // the code before it; where it is, another function may begin
            if (dwarf_lineendsequence(row, &ends) == 0 && !ends) visit(row, address_of(low));
        }
    }
}

// Returns where the statement begins that the code at an address of a function (a DIE) belongs to; the address itself
// if the line table has none.
uint64_t statement_begin(const Object &object, uint64_t function, uint64_t address);

}  // namespace tapir::dwarf
