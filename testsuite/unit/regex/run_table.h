// SPDX-License-Identifier: GPL-2.0-or-later
// A table run in the translator's tests, apart from the runtime.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "regex/match_table.h"

namespace tapir::regex {

inline constexpr int kUnset = -1;

// Runs a table as its description says; the offsets of all groups, empty when nothing matches.
inline std::vector<int> run_table(const Table &table, const std::string &text) {
    std::vector<int> registers(table.registers, kUnset), result;
    auto apply = [&](uint16_t list, std::vector<int> &to, int here) {
        for (const Table::Op *op = &table.ops[list]; op->to != Table::kEnd; ++op) {
            to.at(op->to) = op->from == Table::kFromHere    ? here
                            : op->from == Table::kFromUnset ? kUnset
                                                            : registers.at(op->from);
        }
    };
    auto record = [&](uint16_t list, int here) {
        if (list == Table::kNo) return;
        result.assign(2 * std::max<size_t>(table.groups, 1), kUnset);
        if (table.groups) apply(list, result, here);
    };
    uint16_t state = table.start;
    for (size_t at = 0; state != Table::kDead; ++at) {
        record(table.accept.at(state), static_cast<int>(at));
        if (at == text.size()) {
            record(table.accept_end.at(state), static_cast<int>(at));
            break;
        }
        const size_t edge = state * table.classes + table.byte_class[static_cast<unsigned char>(text[at])];
        if (table.groups) apply(table.edge_ops.at(edge), registers, static_cast<int>(at));
        state = table.next.at(edge);
    }
    return result;
}

}  // namespace tapir::regex
