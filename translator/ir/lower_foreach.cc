// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "ast/walk.h"
#include "ir/lowerer.h"

namespace tapir::ir {

// May a key variable simply point at the element's key? Only if nothing else assigns it and it is not used outside.
bool BodyLowerer::borrowable(const ast::Variable &v, const ast::Foreach &loop) const {
    if (v.scope != ast::Variable::Scope::Local || v.type != ast::Type::String) return false;
    auto uses = [&](const ast::Stmt &s) {
        int n = 0;
        ast::each_expr(s, [&](const ast::Expr &e) {
            n += e.kind == ast::ExprKind::VarRef && static_cast<const ast::VarRef &>(e).variable == &v;
        });
        return n;
    };
    return uses(*root_) == uses(*loop.body) + 1 && !m_.effects.of(*loop.body).locals_written.count(&v);
}

void BodyLowerer::find_borrowed() {
    ast::each_stmt(*root_, [&](const ast::Stmt &s) {
        if (s.kind != ast::StmtKind::Foreach) return;
        auto &loop = static_cast<const ast::Foreach &>(s);
        for (const auto &key : loop.keys)
            if (borrowable(*key->variable, loop)) borrowed_.insert(key->variable);
        if (loop.value && borrowable(*loop.value->variable, loop)) borrowed_.insert(loop.value->variable);
    });
}

void BodyLowerer::bind(const ast::VarRef &ref, Op op, int iterator, int key, const ast::Foreach &loop) {
    const ast::Variable &v = *ref.variable;
    bool string = v.type == ast::Type::String;
    bool local = v.scope != ast::Variable::Scope::Global;
    Value direct;
    if (borrowed_.count(&v))
        places_[&v] = direct = new_pointer();
    else if (!string && local)
        direct = places_.at(&v);
    Value dst = direct ? direct : string ? new_pointer() : new_register();
    Inst &inst = emit(op, dst);
    inst.index = iterator;
    inst.detail = static_cast<uint8_t>(key);
    inst.global = m_.global(base_variable(*loop.array));
    if (direct) return;
    if (string)
        store_string(v, dst);
    else
        store_number(v, dst);
}

void BodyLowerer::loop_body(const ast::Stmt &body, int next, int end) {
    int64_t units = 0;
    add_lead(body, units);
    charge(std::max<int64_t>(1, units), body.at);
    loops_.push_back({next, end});
    stmt(body);
    loops_.pop_back();
}

void BodyLowerer::foreach (const ast::Foreach &s) {
    if (s.array->kind == ast::ExprKind::Hist) return foreach_bucket(s);
    std::vector<Operand> slice = lower_all(pointers(s.slice));
    Operand limit;
    if (s.limit) limit = lower_long(*s.limit);
    int iterator = body_.frame.iterators++;
    Inst &begin = emit(Op::IterBegin, {}, limit.value);
    begin.index = iterator;
    begin.global = m_.global(base_variable(*s.array));
    const bool walk = reporting_ && reports_.back().arrays.count(base_variable(*s.array));
    if (walk) begin.b = reports_.back().flag;
    begin.args = values(slice);
    begin.sort.direction = static_cast<int8_t>(s.sort);
    begin.sort.column = s.sort_column;
    begin.sort.stat = s.sort_stat.value_or(ast::StatOpKind::Count);
    if (s.sort != ast::Foreach::Sort::None || !slice.empty()) failing(begin, s.at);
    int next = new_label(), end = new_label();
    label(next);
    Inst &step = emit(Op::IterNext);
    step.index = iterator;
    step.target = end;
    if (!slice.empty()) failing(step, s.at);
    for (size_t i = 0; i < s.keys.size(); i++)
        bind(*s.keys[i], Op::IterKey, iterator, static_cast<int>(i), s);
    if (s.value) bind(*s.value, Op::IterValue, iterator, 0, s);
    if (walk) walks_.emplace_back(&s, iterator);
    loop_body(*s.body, next, end);
    if (walk) walks_.pop_back();
    jump(next);
    label(end);
    release(slice);
}

// foreach (b in @hist_log(s)): b is the bucket's number, the value its count.
void BodyLowerer::foreach_bucket(const ast::Foreach &s) {
    auto &hist = static_cast<const ast::Hist &>(*s.array);
    Value limit;
    if (s.limit) limit = evaluate(*s.limit);
    Operand merged = read_stat(*hist.stat, &hist.shape);
    Value sum = merged.value;
    Value bucket = new_register(), count = new_register(), more = new_register(), value = new_register();
    failing(emit(Op::HistGet, value, sum, number(0)), hist.at);  // nothing to iterate is an error
    emit(Op::Move, count, number(hist.shape.buckets()));
    int top = new_label(), next = new_label(), end = new_label(), unlimited = new_label();
    if (limit) {
        emit(Op::Compare, more, limit, count).detail = static_cast<uint8_t>(ast::CompareOp::Lt);
        emit(Op::JumpUnless, {}, more).target = unlimited;
        emit(Op::Move, count, limit);
        label(unlimited);
    }
    emit(Op::Move, bucket, number(0));
    label(top);
    emit(Op::Compare, more, bucket, count).detail = static_cast<uint8_t>(ast::CompareOp::Lt);
    emit(Op::JumpUnless, {}, more).target = end;
    store_number(*s.keys.at(0)->variable, bucket);
    if (s.value) {
        failing(emit(Op::HistGet, value, sum, bucket), hist.at);
        store_number(*s.value->variable, value);
    }
    loop_body(*s.body, next, end);
    label(next);
    emit(Op::Binary, bucket, bucket, number(1)).detail = static_cast<uint8_t>(ast::BinaryOp::Add);
    jump(top);
    label(end);
    release(merged);
}

}  // namespace tapir::ir
