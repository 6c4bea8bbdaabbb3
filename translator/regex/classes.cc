// SPDX-License-Identifier: GPL-2.0-or-later
#include <map>
#include <unordered_set>

#include "regex/nfa.h"

namespace tapir::regex {

size_t find_classes(const Nfa &nfa, std::array<uint8_t, 256> &byte_class) {
    byte_class.fill(0);
    size_t count = 1;
    std::unordered_set<ByteSet> done;
    for (const Node &node : nfa.nodes) {
        if (node.kind != Node::Kind::Bytes || !done.insert(node.bytes).second) continue;
        std::map<std::pair<uint8_t, bool>, uint8_t> split;
        std::array<uint8_t, 256> fresh{};
        for (size_t b = 0; b < 256; ++b) {
            auto [it, added] = split.try_emplace({byte_class[b], node.bytes[b]}, static_cast<uint8_t>(split.size()));
            fresh[b] = it->second;
        }
        byte_class = fresh;
        count = split.size();
    }
    return count;
}

}  // namespace tapir::regex
