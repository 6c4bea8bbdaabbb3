// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/call_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tapir::report {

namespace {

// Ranks frames by name, and equal names by number, so that the order is total.
std::vector<uint32_t> ranks_of(const FrameTable &frames) {
    std::vector<uint32_t> order(frames.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&frames](uint32_t a, uint32_t b) {
        const int compared = frames[a].name.compare(frames[b].name);
        return compared ? compared < 0 : a < b;
    });
    std::vector<uint32_t> ranks(frames.size());
    for (uint32_t i = 0; i < order.size(); i++)
        ranks[order[i]] = i;
    return ranks;
}

struct Entry {
    const Row *row;
    uint32_t index;
    bool old;
};

}  // namespace

CallTree make_tree(const Profile &profile, const Profile *before, const FrameTable &frames) {
    const std::vector<uint32_t> ranks = ranks_of(frames);
    std::vector<Entry> entries;
    for (uint32_t i = 0; i < profile.rows.size(); i++)
        entries.push_back({&profile.rows[i], i, false});
    for (uint32_t i = 0; before && i < before->rows.size(); i++)
        entries.push_back({&before->rows[i], i, true});
    std::sort(entries.begin(), entries.end(), [&ranks](const Entry &a, const Entry &b) {
        return std::lexicographical_compare(a.row->frames.begin(), a.row->frames.end(), b.row->frames.begin(),
                                            b.row->frames.end(),
                                            [&ranks](uint32_t x, uint32_t y) { return ranks[x] < ranks[y]; });
    });
    CallTree tree;
    tree.nodes.emplace_back();
    tree.row_nodes.resize(profile.rows.size());
    std::vector<uint32_t> path;  // nodes of the stack before, without the root
    for (const Entry &entry : entries) {
        const std::span<const uint32_t> stack = entry.row->frames;
        size_t same = 0;
        while (same < path.size() && same < stack.size() && tree.nodes[path[same]].frame == stack[same])
            same++;
        path.resize(same);
        for (size_t i = same; i < stack.size(); i++) {
            TreeNode node;
            node.frame = stack[i];
            node.parent = i ? path[i - 1] : 0;
            node.depth = static_cast<uint32_t>(i + 1);
            path.push_back(static_cast<uint32_t>(tree.nodes.size()));
            tree.nodes.push_back(node);
        }
        TreeNode &leaf = tree.nodes[path.back()];
        (entry.old ? leaf.old_self : leaf.self) += entry.row->value;
        (entry.old ? leaf.old_count : leaf.count) += entry.row->count;
        if (!entry.old) tree.row_nodes[entry.index] = path.back();
    }
    for (size_t i = tree.nodes.size(); i-- > 0;) {
        TreeNode &node = tree.nodes[i];
        node.total += node.self;
        node.old_total += node.old_self;
        if (!i) break;
        TreeNode &parent = tree.nodes[node.parent];
        parent.total += node.total;
        parent.old_total += node.old_total;
        parent.count += node.count;
        parent.old_count += node.old_count;
    }
    return tree;
}

Children::Children(const CallTree &tree) : first_(tree.nodes.size() + 1), order_(tree.nodes.size()) {
    const size_t count = tree.nodes.size();
    for (size_t i = 1; i < count; i++)
        first_[tree.nodes[i].parent + 1]++;
    for (size_t i = 0; i < count; i++)
        first_[i + 1] += first_[i];
    std::vector<uint32_t> next(first_.begin(), first_.end() - 1);
    for (uint32_t i = 1; i < count; i++)
        order_[next[tree.nodes[i].parent]++] = i;
    for (size_t i = 0; i < count; i++)
        std::stable_sort(order_.begin() + first_[i], order_.begin() + first_[i + 1], [&tree](uint32_t a, uint32_t b) {
            return std::pair(tree.nodes[a].total, tree.nodes[a].old_total) >
                   std::pair(tree.nodes[b].total, tree.nodes[b].old_total);
        });
}

Difference difference(const TreeNode &node, const TreeNode &root) {
    const auto share = [](int64_t part, int64_t all) {
        return all ? static_cast<double>(part) / static_cast<double>(all) : 0;
    };
    const double now = share(node.total, root.total), then = share(node.old_total, root.old_total);
    // The error of a share of n samples is about share / sqrt(n); of none, that of a single one.
    const auto error = [](double part, uint64_t n, uint64_t all) {
        if (n) return part / std::sqrt(static_cast<double>(n));
        return all ? 1.0 / static_cast<double>(all) : 0.0;
    };
    const double a = error(now, node.count, root.count), b = error(then, node.old_count, root.old_count);
    Difference out;
    out.points = 100 * (now - then);
    if (std::abs(now - then) <= 2 * std::sqrt(a * a + b * b)) return out;
    if (!node.old_total) {
        out.change = Change::New;
    } else if (!node.total) {
        out.change = Change::Gone;
    } else {
        out.change = now > then ? Change::More : Change::Less;
    }
    return out;
}

std::vector<FrameTotals> frame_totals(const Profile &profile, const FrameTable &frames) {
    std::vector<FrameTotals> out(frames.size());
    std::vector<size_t> seen(frames.size(), SIZE_MAX);
    for (size_t i = 0; i < profile.rows.size(); i++) {
        const Row &row = profile.rows[i];
        out[row.frames.back()].self += row.value;
        for (const uint32_t frame : row.frames) {
            if (seen[frame] == i) continue;
            seen[frame] = i;
            out[frame].total += row.value;
        }
    }
    return out;
}

}  // namespace tapir::report
