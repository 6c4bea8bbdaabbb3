// SPDX-License-Identifier: GPL-2.0-or-later
// The expression as a graph: what parsing makes and determinising reads.
#pragma once

#include <bitset>
#include <string_view>
#include <vector>

#include "regex/dfa.h"

namespace tapir::regex {

using ByteSet = std::bitset<256>;

struct Node {
    enum class Kind : uint8_t { Bytes, Fork, LineStart, LineEnd, Tag, Accept };
    Kind kind = Kind::Fork;
    int out = -1, other = -1;  // -1: none; Fork may use both
    ByteSet bytes;             // Bytes
    uint32_t tag = 0;          // Tag: 2 * group, + 1 for its end
};

struct Nfa {
    static constexpr size_t kMaxNodes = 8000;
    std::vector<Node> nodes;
    int start = -1;
    uint32_t groups = 0;
};

// `tags`: keep the ends of groups as Tag nodes.
bool parse(std::string_view pattern, bool tags, Nfa &nfa, Error &error);

// Numbers the bytes so that two with one number are in the same sets everywhere; returns how many numbers there are.
size_t find_classes(const Nfa &nfa, std::array<uint8_t, 256> &byte_class);

}  // namespace tapir::regex
