// SPDX-License-Identifier: GPL-2.0-or-later
// Assignment to variables and elements. Keys are evaluated first, then the value, then the old value is read.
#include "ir/lowerer.h"

namespace tapir::ir {

static ast::BinaryOp binary_of(ast::AssignOp op) {
    switch (op) {
        case ast::AssignOp::Sub:
            return ast::BinaryOp::Sub;
        case ast::AssignOp::Mul:
            return ast::BinaryOp::Mul;
        case ast::AssignOp::Div:
            return ast::BinaryOp::Div;
        case ast::AssignOp::Mod:
            return ast::BinaryOp::Mod;
        case ast::AssignOp::And:
            return ast::BinaryOp::And;
        case ast::AssignOp::Or:
            return ast::BinaryOp::Or;
        case ast::AssignOp::Xor:
            return ast::BinaryOp::Xor;
        case ast::AssignOp::Shl:
            return ast::BinaryOp::Shl;
        case ast::AssignOp::Shr:
            return ast::BinaryOp::Shr;
        case ast::AssignOp::ShrLogical:
            return ast::BinaryOp::ShrLogical;
        default:
            return ast::BinaryOp::Add;
    }
}

Access BodyLowerer::access_of(const ast::Variable *v) const {
    if (!v->key_types.empty()) {
        if (locking_ && locking_->counters.count(v)) return Access::Atomic;
        return locking_ && locking_->self_locked.count(v) ? Access::Locked : Access::Plain;
    }
    auto found = m_.locking.scalars.find(v);
    return found == m_.locking.scalars.end() ? Access::Plain : found->second;
}

void BodyLowerer::store_number(const ast::Variable &v, Value value) {
    if (v.scope != ast::Variable::Scope::Global) return move(places_.at(&v), value);
    Inst &store = emit(Op::Store, {}, value);
    store.global = m_.global(&v);
    store.access = access_of(&v);
}

void BodyLowerer::store_string(const ast::Variable &v, Value value) {
    bool global = v.scope == ast::Variable::Scope::Global;
    if (lent_.count(&v)) {
        emit(Op::Point, places_.at(&v), value);
        return;
    }
    copy_string(global ? Value{ValueKind::Global, m_.global(&v)} : places_.at(&v), value);
}

// Can the new value be built in the variable itself? Not if the expression looks at it, and not if a failure half-way
// could be noticed.
bool BodyLowerer::may_write_directly(const ast::Expr &value, const ast::Variable &v) const {
    if (m_.effects.mentions(value, &v)) return false;
    bool global = v.scope == ast::Variable::Scope::Global;
    return !(global || !catches_.empty()) || !m_.effects.can_fail(value);
}

Operand BodyLowerer::assign(const ast::Assign &e, bool used) {
    if (e.op == ast::AssignOp::Sample) {
        sample(e);
        return {number(0), {}, {}};
    }
    if (e.target->kind == ast::ExprKind::Index)
        return assign_element(e, static_cast<const ast::Index &>(*e.target), used);
    if (e.target->kind != ast::ExprKind::VarRef) return assign_hit(e);
    const ast::Variable &v = *base_variable(*e.target);
    if (v.scope == ast::Variable::Scope::Saved) {
        Operand value = lower(*e.value);
        write_saved(v, value);
        return value;
    }
    if (v.type == ast::Type::String) return assign_string(e, used);
    Operand value = lower_long(*e.value);
    if (e.op != ast::AssignOp::Set) return update(*e.target, binary_of(e.op), std::move(value), {}, false, used, e.at);
    store_number(v, value.value);
    if (v.scope != ast::Variable::Scope::Global) return {places_.at(&v), {}, {&v}};
    return value;
}

Operand BodyLowerer::assign_string(const ast::Assign &e, bool) {
    const ast::Variable &v = *base_variable(*e.target);
    Value place = v.scope == ast::Variable::Scope::Global ? Value{ValueKind::Global, m_.global(&v)} : places_.at(&v);
    if (lent_.count(&v)) {
        Operand value = lower_string(*e.value);
        store_string(v, value.value);
        release(value);
    } else if (e.op == ast::AssignOp::Concat) {
        Operand tail = lower_string(*e.value);
        emit(Op::Append, place, tail.value);
        release(tail);
    } else if (e.value->kind == ast::ExprKind::Concat && m_.effects.mentions(*e.value, &v)) {
        // s = s . x ...: append in place when s is only the beginning.
        auto &sum = static_cast<const ast::Concat &>(*e.value);
        bool self = sum.left->kind == ast::ExprKind::VarRef && base_variable(*sum.left) == &v;
        if (self && !m_.effects.writes(*sum.right, &v)) {
            Operand tail = lower_string(*sum.right);
            emit(Op::Append, place, tail.value);
            release(tail);
        } else {
            Operand value = lower_string(*e.value);
            copy_string(place, value.value);
            release(value);
        }
    } else {
        Operand value = lower_string(*e.value, may_write_directly(*e.value, v) ? place : Value{});
        copy_string(place, value.value);
        release(value);
    }
    return {place, {}, {&v}};
}

Operand BodyLowerer::assign_element(const ast::Assign &e, const ast::Index &target, bool used) {
    const ast::Variable *array = base_variable(target);
    std::vector<Operand> keys = lower_all(pointers(target.keys), {e.value.get()});
    Operand value = lower(*e.value);
    bool string = value.value.is_string();
    if (e.op == ast::AssignOp::Concat) {
        Value sum = take_buffer();
        Inst &get = emit(Op::MapGet, sum);
        get.global = m_.global(array);
        get.args = values(keys);
        emit(Op::Append, sum, value.value);
        release(value);
        value = {sum, {sum}, {}};
    } else if (e.op != ast::AssignOp::Set) {
        return update(target, binary_of(e.op), std::move(value), std::move(keys), false, used, e.at);
    }
    Inst &set = emit(Op::MapSet, {}, value.value);
    set.global = m_.global(array);
    set.access = access_of(array);
    set.args = values(keys);
    failing(set, target.base->at);
    release(keys);
    if (used || string) return value;
    release(value);
    return {number(0), {}, {}};
}

Operand BodyLowerer::increment(const ast::IncDec &e, bool used) {
    std::vector<Operand> keys;
    if (e.target->kind == ast::ExprKind::Index)
        keys = lower_all(pointers(static_cast<const ast::Index &>(*e.target).keys));
    ast::BinaryOp op = e.increment ? ast::BinaryOp::Add : ast::BinaryOp::Sub;
    return update(*e.target, op, {number(1), {}, {}}, std::move(keys), !e.prefix, used, e.at);
}

// target = target op value; the result is the new value, or the old one.
Operand BodyLowerer::update(const ast::Expr &target, ast::BinaryOp op, Operand value, std::vector<Operand> keys,
                            bool old, bool used, const SourceRef &at) {
    const ast::Variable *v = base_variable(target);
    bool global = v->scope == ast::Variable::Scope::Global;
    Value place = global ? Value{} : places_.at(v);
    Operand result{number(0), {}, {}};
    if (!global && old && used) {
        result.value = new_register();
        emit(Op::Move, result.value, place);
    }
    bool divides = op == ast::BinaryOp::Div || op == ast::BinaryOp::Mod;
    if (divides && (value.value.kind != ValueKind::Int || value.value.n == 0)) check_divisor(value.value, at);
    if (!global) {
        emit(Op::Binary, place, place, value.value).detail = static_cast<uint8_t>(op);
        if (!old) result = {place, {}, {v}};
    } else {
        bool element = target.kind == ast::ExprKind::Index;
        if (used) result.value = new_register();
        Inst &inst = emit(element ? Op::MapUpdate : Op::Update, used ? result.value : Value{}, value.value);
        inst.detail = static_cast<uint8_t>(op);
        inst.old = old;
        inst.global = m_.global(v);
        inst.access = access_of(v);
        inst.args = values(keys);
        if (element) failing(inst, static_cast<const ast::Index &>(target).base->at);
    }
    release(keys);
    release(value);
    return result;
}

void BodyLowerer::sample(const ast::Assign &e) {
    std::vector<Operand> keys;
    bool element = e.target->kind == ast::ExprKind::Index;
    if (element) keys = lower_all(pointers(static_cast<const ast::Index &>(*e.target).keys), {e.value.get()});
    Value value = evaluate(*e.value);
    Inst &inst = emit(element ? Op::MapSample : Op::Sample, {}, value);
    inst.global = m_.global(base_variable(*e.target));
    inst.args = values(keys);
    if (element) failing(inst, static_cast<const ast::Index &>(*e.target).base->at);
    release(keys);
}

void BodyLowerer::erase(const ast::Expr &target) {
    const ast::Variable &v = *base_variable(target);
    if (target.kind == ast::ExprKind::Index) {
        auto &index = static_cast<const ast::Index &>(target);
        std::vector<Operand> keys = lower_all(pointers(index.keys));
        bool slice = false;
        for (const ast::ExprPtr &key : index.keys)
            slice |= !key;
        Inst &inst = emit(slice ? Op::MapDeleteSlice : Op::MapDelete);
        inst.global = m_.global(&v);
        inst.args = values(keys);
        if (slice) failing(inst, target.at);
        release(keys);
    } else if (!v.key_types.empty()) {
        Inst &inst = emit(Op::MapClear);
        inst.global = m_.global(&v);
        failing(inst, target.at);
    } else if (v.type == ast::Type::Stat) {
        emit(Op::StatClear).global = m_.global(&v);
    } else if (v.type == ast::Type::String) {
        store_string(v, m_.literal(""));
    } else {
        store_number(v, number(0));
    }
}

}  // namespace tapir::ir
