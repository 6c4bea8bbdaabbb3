// SPDX-License-Identifier: GPL-2.0-or-later
// Reading statistics: merge into a sum in the frame, then extract.
#include <algorithm>

#include "ir/lowerer.h"

namespace tapir::ir {

// True if running the instruction can change a statistic, or the values of its keys.
static bool disturbs(const Inst &inst, const std::vector<Value> &keys) {
    switch (inst.op) {
        case Op::Label:
        case Op::Call:
        case Op::EmbeddedStmt:
        case Op::EmbeddedExpr:
        case Op::Sample:
        case Op::MapSample:
        case Op::StatClear:
        case Op::MapClear:
        case Op::MapDelete:
        case Op::MapDeleteSlice:
        case Op::IterNext:
        case Op::LocksTake:
            return true;
        default:
            return inst.dst && std::find(keys.begin(), keys.end(), inst.dst) != keys.end();
    }
}

// Returns a sum that already holds the statistic, because the code just before merged it: @count(s), @sum(s) merge once
// and belong together. No value if the code has none. `histogram` must be in it, unless it is -1. `iterator`: the sum
// is of the element that this is at, unless it is -1.
Value BodyLowerer::merged_before(int global, int iterator, const std::vector<Value> &keys, int histogram) const {
    std::set<int64_t> overwritten;
    for (auto inst = body_.code.rbegin(); inst != body_.code.rend() && !disturbs(*inst, keys); ++inst) {
        if (inst->dst.kind != ValueKind::Sum) continue;
        bool same = inst->op != Op::IterStat && iterator < 0 && inst->global == global && inst->args == keys &&
                    (histogram < 0 || inst->index == histogram);
        same |= inst->op == Op::IterStat && inst->index == iterator && (histogram < 0 || inst->detail == histogram + 1);
        if (same && !overwritten.count(inst->dst.n)) return inst->dst;
        overwritten.insert(inst->dst.n);
    }
    return {};
}

// Merges a scalar or an element; the caller releases the operand.
Operand BodyLowerer::read_stat(const ast::Expr &stat, const ast::HistShape *shape) {
    std::vector<Operand> keys;
    bool element = stat.kind == ast::ExprKind::Index;
    const int iterator = element ? own_element(static_cast<const ast::Index &>(stat)) : -1;
    if (element && iterator < 0) keys = lower_all(pointers(static_cast<const ast::Index &>(stat).keys));
    const ast::Variable *variable = base_variable(stat);
    int global = m_.global(variable);
    int histogram = -1;
    if (shape) {
        const auto &hists = variable->stat.hists;
        histogram = static_cast<int>(std::find(hists.begin(), hists.end(), *shape) - hists.begin());
    }
    if (Value before = merged_before(global, iterator, values(keys), histogram)) {
        release(keys);
        auto busy = sum_busy_[static_cast<size_t>(before.n)];
        if (busy) return {before, {}, {}};
        busy = true;
        return {before, {before}, {}};
    }
    Value sum = take_sum();
    Inst &inst = emit(iterator >= 0 ? Op::IterStat : element ? Op::MapStatRead : Op::StatRead, sum);
    inst.global = global;
    inst.args = values(keys);
    inst.index = iterator >= 0 ? iterator : histogram;
    if (iterator >= 0) inst.detail = static_cast<uint8_t>(histogram + 1);
    if (shape) {
        uint32_t &buckets = body_.frame.buckets[static_cast<int>(sum.n)];
        buckets = std::max(buckets, shape->buckets());
    }
    release(keys);
    look(stat.at);
    return {sum, {sum}, {}};
}

// Where no number is written, the percentile is 50 and the whole 100.
Operand BodyLowerer::lower_percentile(const ast::StatOp &e) {
    std::vector<Value> numbers = {number(50), number(100)};
    std::vector<const ast::Expr *> written;
    for (const ast::ExprPtr *number : {&e.part, &e.whole})
        if (*number) written.push_back(number->get());
    std::vector<Operand> operands = lower_all(written, {e.stat.get()});
    for (size_t i = 0; i < operands.size(); i++)
        numbers[i] = operands[i].value;
    Operand sum = read_stat(*e.stat);
    Value r = new_register();
    Inst &inst = emit(Op::StatPercentile, r, sum.value);
    inst.args = numbers;
    failing(inst, e.at);
    release(sum);
    release(operands);
    return {r, {}, {}};
}

Operand BodyLowerer::lower_stat(const ast::StatOp &e) {
    if (e.op == ast::StatOpKind::Percentile || e.op == ast::StatOpKind::Median) return lower_percentile(e);
    Operand sum = read_stat(*e.stat);
    Value r = new_register();
    Inst &inst = emit(Op::StatExtract, r, sum.value);
    inst.detail = static_cast<uint8_t>(e.op);
    if (e.op != ast::StatOpKind::Count && e.op != ast::StatOpKind::Sum) failing(inst, e.at);
    release(sum);
    return {r, {}, {}};
}

// @hist_log(s)[i]
Operand BodyLowerer::lower_bucket(const ast::Index &e) {
    auto &hist = static_cast<const ast::Hist &>(*e.base);
    Value index = evaluate(*e.keys.at(0));
    Operand sum = read_stat(*hist.stat, &hist.shape);
    Value r = new_register();
    failing(emit(Op::HistGet, r, sum.value, index), hist.at);
    release(sum);
    return {r, {}, {}};
}

}  // namespace tapir::ir
