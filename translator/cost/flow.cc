// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/flow.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ast/arithmetic.h"

namespace tapir::cost {

using ir::Inst;
using ir::Op;
using ir::Value;
using ir::ValueKind;

namespace {

constexpr double kEndsEarly = 0.05;  // of the hits take a branch that ends the handler

bool is_branch(const Inst &inst) {
    return inst.op == Op::JumpIf || inst.op == Op::JumpUnless || inst.op == Op::IterNext;
}

}  // namespace

Flow::Flow(const ir::Module &module, const ir::Body &body, const Constants &constants)
    : module_(module),
      code_(body.code),
      labels_(static_cast<size_t>(body.labels), body.code.size()),
      registers_(static_cast<size_t>(body.registers)),
      in_(body.code.size()),
      tests_(body.code.size()) {
    for (size_t i = 0; i < code_.size(); ++i)
        if (code_[i].op == Op::Label) labels_[static_cast<size_t>(code_[i].target)] = i;
    fold(constants);
    find_loops(constants);
}

std::optional<int64_t> Flow::known(const Value &value) const {
    if (value.kind == ValueKind::Int) return value.n;
    if (value.kind == ValueKind::Reg && static_cast<size_t>(value.n) < registers_.size())
        return registers_[static_cast<size_t>(value.n)];
    return {};
}

std::optional<std::string> Flow::known_text(const Value &value, const Constants &constants) const {
    if (value.kind == ValueKind::Literal) return module_.literals[static_cast<size_t>(value.n)];
    const Constant *constant = value.kind == ValueKind::Global ? constants(static_cast<int>(value.n)) : nullptr;
    return constant ? constant->text : std::nullopt;
}

std::optional<int64_t> Flow::known_result(const Inst &inst, const Constants &constants) const {
    const std::optional<int64_t> a = known(inst.a), b = known(inst.b);
    switch (inst.op) {
        case Op::Move:
            return a;
        case Op::Not:
            return a ? std::optional<int64_t>(*a == 0) : std::nullopt;
        case Op::Binary:
            return a && b ? ast::compute(static_cast<ast::BinaryOp>(inst.detail), *a, *b) : std::nullopt;
        case Op::Compare:
            if (!a || !b) return {};
            return ast::holds(static_cast<ast::CompareOp>(inst.detail), *a < *b ? -1 : *a > *b);
        case Op::StrCompare: {
            const auto left = known_text(inst.a, constants), right = known_text(inst.b, constants);
            if (!left || !right) return {};
            return ast::holds(static_cast<ast::CompareOp>(inst.detail), left->compare(*right));
        }
        case Op::Load: {
            const Constant *constant = constants(inst.global);
            return constant ? constant->number : std::nullopt;
        }
        default:
            return {};
    }
}

// Registers that are written once have one value, if they have a known one.
void Flow::fold(const Constants &constants) {
    std::vector<int> writes(registers_.size());
    for (const Inst &inst : code_)
        for (const Value *value : {&inst.dst, &inst.next})
            if (value->kind == ValueKind::Reg && static_cast<size_t>(value->n) < writes.size())
                writes[static_cast<size_t>(value->n)]++;
    for (const Inst &inst : code_) {
        if (inst.dst.kind != ValueKind::Reg || static_cast<size_t>(inst.dst.n) >= writes.size()) continue;
        const size_t number = static_cast<size_t>(inst.dst.n);
        if (writes[number] == 1) registers_[number] = known_result(inst, constants);
    }
}

// `for (i = FIRST; i < LAST; i += STEP)` with constants.
void Flow::find_turns(Loop &loop) const {
    size_t test = loop.head;
    while (test < loop.end && code_[test].op != Op::JumpUnless)
        ++test;
    if (test == loop.end || code_[test].a.kind != ValueKind::Reg) return;
    const auto compares = std::find_if(
        code_.begin() + static_cast<std::ptrdiff_t>(loop.head), code_.begin() + static_cast<std::ptrdiff_t>(test),
        [&](const Inst &inst) { return inst.op == Op::Compare && inst.dst == code_[test].a; });
    if (compares == code_.begin() + static_cast<std::ptrdiff_t>(test) || !known(compares->b)) return;
    const Value counter = compares->a;
    std::optional<int64_t> first, step;
    int steps = 0;
    std::map<int64_t, Inst> made;  // registers within the loop
    for (size_t i = 0; i <= loop.end; ++i) {
        const Inst &inst = code_[i];
        if (inst.dst.kind == ValueKind::Reg) made[inst.dst.n] = inst;
        if (!(inst.dst == counter)) continue;
        const Inst *from = &inst;
        if (inst.op == Op::Move && inst.a.kind == ValueKind::Reg) {
            const auto found = made.find(inst.a.n);
            if (found != made.end()) from = &found->second;
        }
        if (i < loop.head)
            first = from->op == Op::Move ? known(from->a) : std::nullopt;
        else if (from->op == Op::Binary && from->a == counter && ++steps == 1)
            step = static_cast<ast::BinaryOp>(from->detail) == ast::BinaryOp::Add   ? known(from->b)
                   : static_cast<ast::BinaryOp>(from->detail) == ast::BinaryOp::Sub ? known(from->b)
                                                                                    : std::nullopt;
        else
            ++steps;
    }
    if (!first || !step || *step == 0 || steps != 1) return;
    const double turns = std::fabs((static_cast<double>(*known(compares->b)) - static_cast<double>(*first)) /
                                   static_cast<double>(*step));
    const auto how = static_cast<ast::CompareOp>(compares->detail);
    const bool with_last = how == ast::CompareOp::Le || how == ast::CompareOp::Ge;
    loop.turns = std::ceil(turns) + (with_last ? 1 : 0);
}

void Flow::find_loops(const Constants &) {
    std::map<size_t, size_t> ends;
    for (size_t i = 0; i < code_.size(); ++i) {
        const Inst &inst = code_[i];
        if ((inst.op != Op::Jump && !is_branch(inst)) || inst.target < 0) continue;
        const size_t target = labels_[static_cast<size_t>(inst.target)];
        if (target <= i) ends[target] = i;
    }
    for (const auto &[head, end] : ends) {
        Loop loop{head, end, {}, -1, 0, {}};
        find_turns(loop);
        for (size_t i = head; i <= end && !loop.test; ++i) {
            if (!is_branch(code_[i]) || labels_[static_cast<size_t>(code_[i].target)] <= end) continue;
            loop.test = i;
            tests_[i] = loops_.size();
            if (code_[i].op != Op::IterNext) continue;
            for (size_t k = 0; k < head; ++k)
                if (code_[k].op == Op::IterBegin && code_[k].index == code_[i].index) {
                    loop.global = code_[k].global;
                    loop.limit = known(code_[k].b).value_or(known(code_[k].a).value_or(0));
                }
        }
        for (size_t i = head; i <= end; ++i)
            in_[i].push_back(loops_.size());
        loops_.push_back(loop);
    }
}

double Flow::turns_of(const Loop &loop, const Sizes &sizes) const {
    if (loop.turns) return *loop.turns;
    if (loop.global < 0) return sizes.turns;
    return loop.limit > 0 ? std::min(sizes.elements, static_cast<double>(loop.limit)) : sizes.elements;
}

// Does nothing follow but what ends the body, with a constant as its result?
bool Flow::ends_soon(size_t at) const {
    for (size_t steps = 0; at < code_.size() && steps < code_.size(); ++steps) {
        switch (code_[at].op) {
            case Op::Label:
            case Op::LocksDrop:
            case Op::Send:
            case Op::SnapshotsDrop:
                ++at;
                break;
            case Op::Copy:
                if (code_[at].a.kind != ValueKind::Literal || code_[at].dst.kind != ValueKind::Result) return false;
                ++at;
                break;
            case Op::Move:
                if (code_[at].a.kind != ValueKind::Int) return false;
                ++at;
                break;
            case Op::Jump:
                if (labels_[static_cast<size_t>(code_[at].target)] <= at) return false;
                at = labels_[static_cast<size_t>(code_[at].target)];
                break;
            case Op::Raise:
                return true;
            default:
                return false;
        }
    }
    return true;
}

double Flow::jumps(size_t at, const Sizes &sizes) const {
    const Inst &inst = code_[at];
    if (inst.op == Op::LocksTake || inst.op == Op::Catch) return 0;
    if (tests_[at]) return 1 / (turns_of(loops_[*tests_[at]], sizes) + 1);
    if (inst.op == Op::IterNext) return 0.5;
    if (const std::optional<int64_t> value = known(inst.a)) return (*value != 0) == (inst.op == Op::JumpIf) ? 1 : 0;
    const bool there = ends_soon(labels_[static_cast<size_t>(inst.target)]), here = ends_soon(at + 1);
    if (there == here) return 0.5;
    return there ? kEndsEarly : 1 - kEndsEarly;
}

double Flow::mean(const Sizes &sizes, const std::function<double(const Inst &)> &cost) const {
    std::vector<double> often(code_.size() + 1);
    often[0] = 1;
    double sum = 0;
    for (size_t i = 0; i < code_.size(); ++i) {
        for (const size_t loop : in_[i])
            if (loops_[loop].head == i && loops_[loop].test) often[i] *= turns_of(loops_[loop], sizes) + 1;
        const double times = often[i];
        if (times == 0) continue;
        sum += times * cost(code_[i]);
        const Inst &inst = code_[i];
        if (!ir::facts(inst.op).goes || inst.op == Op::Label) {
            if (!ir::facts(inst.op).leaves) often[i + 1] += times;
            continue;
        }
        const size_t target = labels_[static_cast<size_t>(inst.target)];
        const double part = inst.op == Op::Jump ? 1 : jumps(i, sizes);
        // The number of a loop's turns covers the ways back.
        if (target > i) often[target] += times * part;
        often[i + 1] += times * (1 - part);
    }
    return sum;
}

double Flow::sum(Level level, const Sizes &sizes, const std::function<double(const Inst &)> &cost) const {
    if (level == Level::Typical) return mean(sizes, cost);
    const bool least = level == Level::Least;
    std::vector<double> from(code_.size() + 1);  // an instruction to the end
    for (size_t i = code_.size(); i-- > 0;) {
        const Inst &inst = code_[i];
        double turns = 1;
        for (const size_t loop : in_[i])
            turns *= turns_of(loops_[loop], sizes) + (i <= loops_[loop].test.value_or(0) ? 1 : 0);
        double next = from[i + 1];
        if (ir::facts(inst.op).leaves) next = least ? std::numeric_limits<double>::infinity() : 0;
        if (ir::facts(inst.op).goes && inst.op != Op::Label) {
            const size_t target = labels_[static_cast<size_t>(inst.target)];
            const bool back = target <= i;
            const double part = inst.op == Op::Jump ? 1 : jumps(i, sizes);
            const double there = back ? from[i + 1] : from[target];
            if (tests_[i])
                next = turns_of(loops_[*tests_[i]], sizes) > 0 ? from[i + 1] : there;
            else if (part == 1)
                next = there;
            else if (part > 0 && !back)
                next = least ? std::min(next, there) : std::max(next, there);
        }
        from[i] = next + turns * cost(inst);
    }
    return std::isfinite(from[0]) ? from[0] : mean(sizes, cost);
}

}  // namespace tapir::cost
