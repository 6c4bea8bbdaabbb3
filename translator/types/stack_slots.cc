// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/stack_slots.h"

namespace tapir::types {

size_t StackSlots::number(const Slot &slot) {
    return numbers_.try_emplace(slot, numbers_.size()).first->second;
}

void StackSlots::same(const Slot &one, const Slot &other) {
    flows(one, other);
    flows(other, one);
}

void StackSlots::close(std::set<size_t> &from, bool backwards) const {
    std::vector<std::vector<size_t>> next(numbers_.size());
    for (const auto &[a, b] : edges_)
        next[backwards ? b : a].push_back(backwards ? a : b);
    std::vector<size_t> todo(from.begin(), from.end());
    while (!todo.empty()) {
        const size_t slot = todo.back();
        todo.pop_back();
        for (const size_t reached : next[slot])
            if (from.insert(reached).second) todo.push_back(reached);
    }
}

void StackSlots::decide() {
    if (stack_.empty()) return;
    // A slot is text if no stack gets into it, or if text does.
    std::set<size_t> text = text_;
    for (size_t before = text.size() + 1; before != text.size();) {
        before = text.size();
        close(text, false);
        std::set<size_t> reached;
        for (const size_t slot : stack_)
            if (!text.contains(slot)) reached.insert(slot);
        close(reached, false);
        for (size_t slot = 0; slot < numbers_.size(); ++slot)
            if (!reached.contains(slot)) text.insert(slot);
    }
    // A number is worth its room where it is stored, or was and is to be named.
    std::set<size_t> stored = lasts_;
    for (const size_t slot : text)
        stored.erase(slot);
    std::set<size_t> useful = stored;
    close(stored, false);
    for (const size_t slot : named_)
        if (stored.contains(slot)) useful.insert(slot);
    close(useful, true);
    for (const size_t slot : useful)
        if (!text.contains(slot)) decided_.insert(slot);
}

bool StackSlots::is_stack(const Slot &slot) const {
    const auto found = numbers_.find(slot);
    return found != numbers_.end() && decided_.contains(found->second);
}

std::vector<Slot> StackSlots::decided() const {
    std::vector<Slot> list;
    for (const auto &[slot, number] : numbers_)
        if (decided_.contains(number)) list.push_back(slot);
    return list;
}

}  // namespace tapir::types
