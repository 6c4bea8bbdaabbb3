// SPDX-License-Identifier: GPL-2.0-or-later
// The expression as a graph: what parsing makes and determinising reads.
#pragma once

#include <bitset>
#include <string_view>
#include <vector>

#include "regex/regex.h"

namespace tapir::regex {

using ByteSet = std::bitset<256>;

struct Node {
    enum class Kind : uint8_t { Bytes, Fork, LineStart, LineEnd, Accept };
    Kind kind = Kind::Fork;
    int out = -1, other = -1;  // -1: none; Fork may use both
    ByteSet bytes;             // Bytes
};

struct Nfa {
    static constexpr size_t kMaxNodes = 8000;
    std::vector<Node> nodes;
    int start = -1;
    uint32_t groups = 0;
};

bool parse(std::string_view pattern, Nfa &nfa, Error &error);

}  // namespace tapir::regex
