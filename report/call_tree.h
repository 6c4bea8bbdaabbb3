// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks merged from the root on, as flame graphs show them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "report/profile.h"

namespace tapir::report {

struct TreeNode {
    uint32_t frame = 0;   // of the FrameTable; of the root it means nothing
    uint32_t parent = 0;  // the root is its own
    uint32_t depth = 0;   // the root has 0
    int64_t self = 0, total = 0;
    uint64_t count = 0;                   // samples in it
    int64_t old_self = 0, old_total = 0;  // of the profile that is compared with
    uint64_t old_count = 0;
};

// Nodes in the order of a walk from the root: parents before their children, children by name.
struct CallTree {
    std::vector<TreeNode> nodes;      // [0] is the root, which stands for everything
    std::vector<uint32_t> row_nodes;  // where each row of the profile ends
};

CallTree make_tree(const Profile &profile, const Profile *before, const FrameTable &frames);

// The children of each node.
class Children {
  public:
    // The widest first; of the same width, what was wider before; then in the tree's order.
    explicit Children(const CallTree &tree);
    std::span<const uint32_t> of(uint32_t node) const {
        return std::span(order_).subspan(first_[node], first_[node + 1] - first_[node]);
    }

  private:
    std::vector<uint32_t> first_, order_;  // by node: where its children begin in order_
};

// How a node's share differs from what it was.
enum class Change : uint8_t { Noise, More, Less, New, Gone };
struct Difference {
    Change change = Change::Noise;
    double points = 0;  // share now less share then, in percent of everything
};
// Compares the nodes of a tree made of two profiles. Differences below twice their standard error are noise.
Difference difference(const TreeNode &node, const TreeNode &root);

// Per frame, over all stacks: what it has itself, and what it has with what it calls (recursion counts once).
struct FrameTotals {
    int64_t self = 0, total = 0;
};
std::vector<FrameTotals> frame_totals(const Profile &profile, const FrameTable &frames);

}  // namespace tapir::report
