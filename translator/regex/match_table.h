// SPDX-License-Identifier: GPL-2.0-or-later
// The tables that the runtime runs (runtime/include/tapir/regex.h has the same layout and says how they are read).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "regex/dfa.h"

namespace tapir::regex {

struct Table {
    static constexpr size_t kMaxRegisters = 48;
    static constexpr size_t kMaxGroups = 10;  // the whole match included
    static constexpr uint16_t kDead = 0;
    static constexpr uint16_t kNo = 0xffff;
    static constexpr uint8_t kFromHere = 0xff, kFromUnset = 0xfe, kEnd = 0xff;

    struct Op {
        uint8_t to, from;
        bool operator==(const Op &) const = default;
    };

    uint16_t states = 0, classes = 0, start = kDead;
    uint8_t registers = 0;
    uint8_t groups = 0;  // 0: made without; then `edge_ops` and `ops` are empty
    std::array<uint8_t, 256> byte_class{};
    std::vector<uint16_t> next, edge_ops;      // states * classes
    std::vector<uint16_t> accept, accept_end;  // states
    std::vector<Op> ops;
};

// `groups`: the script asks where groups matched (matched(), ngroups()), which costs larger tables. The match found is
// the leftmost one and of those the longest; where groups may match in several ways, earlier alternatives and more
// repetitions win. False with `error` set as for compile(), also for more groups or registers than the runtime has.
bool compile_table(std::string_view pattern, bool groups, Table &table, Error &error);

}  // namespace tapir::regex
