// SPDX-License-Identifier: GPL-2.0-or-later
// Reading statistics: merge into a sum in the frame, then extract.
#include "ir/lowerer.h"

namespace tapir::ir {

// Merges a scalar or an element; the caller releases the sum.
Value BodyLowerer::read_stat(const ast::Expr &stat) {
    std::vector<Operand> keys;
    bool element = stat.kind == ast::ExprKind::Index;
    if (element) keys = lower_all(pointers(static_cast<const ast::Index &>(stat).keys));
    Value sum = take_sum();
    Inst &inst = emit(element ? Op::MapStatRead : Op::StatRead, sum);
    inst.global = m_.global(base_variable(stat));
    inst.args = values(keys);
    release(keys);
    return sum;
}

Operand BodyLowerer::lower_stat(const ast::StatOp &e) {
    Value sum = read_stat(*e.stat);
    Value r = new_register();
    Inst &inst = emit(Op::StatExtract, r, sum);
    inst.detail = static_cast<uint8_t>(e.op);
    if (e.op != ast::StatOpKind::Count && e.op != ast::StatOpKind::Sum) failing(inst, e.at);
    release(Operand{sum, {sum}, {}});
    return {r, {}, {}};
}

// @hist_log(s)[i]
Operand BodyLowerer::lower_bucket(const ast::Index &e) {
    auto &hist = static_cast<const ast::Hist &>(*e.base);
    Value index = evaluate(*e.keys.at(0));
    Value sum = read_stat(*hist.stat);
    Value r = new_register();
    failing(emit(Op::HistGet, r, sum, index), hist.at);
    release(Operand{sum, {sum}, {}});
    return {r, {}, {}};
}

}  // namespace tapir::ir
