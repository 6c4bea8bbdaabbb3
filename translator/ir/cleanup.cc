// SPDX-License-Identifier: GPL-2.0-or-later
#include "ir/cleanup.h"

#include <set>
#include <vector>

namespace tapir::ir {

namespace {

// Marks the instructions that some path from the start reaches.
std::vector<bool> reachable(const Body &body) {
    std::vector<size_t> place(static_cast<size_t>(body.labels));
    for (size_t i = 0; i < body.code.size(); i++)
        if (body.code[i].op == Op::Label) place[static_cast<size_t>(body.code[i].target)] = i;
    std::vector<bool> seen(body.code.size());
    std::vector<size_t> todo = {0};
    while (!todo.empty()) {
        size_t i = todo.back();
        todo.pop_back();
        if (i >= body.code.size() || seen[i]) continue;
        seen[i] = true;
        const Inst &inst = body.code[i];
        if (!facts(inst.op).leaves) todo.push_back(i + 1);
        if (inst.op != Op::Label && inst.target >= 0) todo.push_back(place[static_cast<size_t>(inst.target)]);
        if (inst.on_error >= 0) todo.push_back(place[static_cast<size_t>(inst.on_error)]);
    }
    return seen;
}

// Does a jump at `i` lead to where it stands anyway?
bool leads_nowhere(const std::vector<Inst> &code, size_t i) {
    if (code[i].op != Op::Jump) return false;
    for (size_t k = i + 1; k < code.size() && code[k].op == Op::Label; k++)
        if (code[k].target == code[i].target) return true;
    return false;
}

}  // namespace

void clean_up(Body &body) {
    std::vector<bool> live = reachable(body);
    std::vector<Inst> kept;
    for (size_t i = 0; i < body.code.size(); i++)
        if (live[i]) kept.push_back(std::move(body.code[i]));
    body.code.clear();
    for (size_t i = 0; i < kept.size(); i++)
        if (!leads_nowhere(kept, i)) body.code.push_back(kept[i]);
    std::set<int> used;
    for (const Inst &inst : body.code) {
        if (inst.op != Op::Label && inst.target >= 0) used.insert(inst.target);
        if (inst.on_error >= 0) used.insert(inst.on_error);
    }
    std::erase_if(body.code, [&](const Inst &inst) { return inst.op == Op::Label && !used.count(inst.target); });
}

}  // namespace tapir::ir
