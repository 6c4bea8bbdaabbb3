// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers: arithmetic, comparisons, short circuits, reads of variables, calls.
#include "ast/walk.h"
#include "ir/lowerer.h"

namespace tapir::ir {

void BodyLowerer::protect(Operand &o, const std::vector<const ast::Expr *> &later) {
    bool changes = false;
    for (const ast::Variable *v : o.refs)
        for (const ast::Expr *e : later)
            changes |= m_.effects.writes(*e, v);
    if (!changes) return;
    if (o.value.is_string()) {
        Value buffer = take_buffer();
        copy_string(buffer, o.value);
        release(o);
        o = {buffer, {buffer}, {}};
    } else {
        Value r = new_register();
        emit(Op::Move, r, o.value);
        o = {r, {}, {}};
    }
}

std::vector<const ast::Expr *> BodyLowerer::pointers(const std::vector<ast::ExprPtr> &list) {
    std::vector<const ast::Expr *> out;
    for (const ast::ExprPtr &e : list)
        out.push_back(e.get());
    return out;
}

std::vector<Value> BodyLowerer::values(const std::vector<Operand> &list) {
    std::vector<Value> out;
    for (const Operand &o : list)
        out.push_back(o.value);
    return out;
}

std::vector<Operand> BodyLowerer::lower_all(const std::vector<const ast::Expr *> &list,
                                            const std::vector<const ast::Expr *> &later) {
    std::vector<Operand> out;
    for (size_t i = 0; i < list.size(); i++) {
        if (!list[i]) {
            out.push_back({});
            continue;
        }
        Operand o = lower(*list[i]);
        std::vector<const ast::Expr *> after;
        for (size_t k = i + 1; k < list.size(); k++)
            if (list[k]) after.push_back(list[k]);
        after.insert(after.end(), later.begin(), later.end());
        protect(o, after);
        out.push_back(std::move(o));
    }
    return out;
}

Operand BodyLowerer::lower(const ast::Expr &e) {
    return e.type == ast::Type::String ? lower_string(e) : lower_long(e);
}

Value BodyLowerer::evaluate(const ast::Expr &e) {
    Operand o = lower_long(e);
    release(o);
    return o.value;
}

// Lowers an expression whose result is unused: keeps only changes, output and failures. A failing operator with an
// unused result goes too, unless optimization is off.
void BodyLowerer::effect(const ast::Expr &e) {
    switch (e.kind) {
        case ast::ExprKind::Assign:
            release(assign(static_cast<const ast::Assign &>(e), false));
            return;
        case ast::ExprKind::IncDec:
            release(increment(static_cast<const ast::IncDec &>(e), false));
            return;
        case ast::ExprKind::Call:
            release(call(static_cast<const ast::Call &>(e), {}));
            return;
        case ast::ExprKind::Print:
            if (!static_cast<const ast::Print &>(e).to_string) {
                print(static_cast<const ast::Print &>(e));
                return;
            }
            break;
        case ast::ExprKind::EmbeddedC:
        case ast::ExprKind::Logical:
        case ast::ExprKind::Ternary:
        case ast::ExprKind::Regex:
            release(lower(e));
            return;
        default:
            break;
    }
    if (m_.options.unoptimized && e.type != ast::Type::Stat) {
        release(lower(e));
        return;
    }
    ast::each_child(e, [&](const ast::Expr &child) { effect(child); });
}

Operand BodyLowerer::variable_value(const ast::Variable &v) {
    if (v.scope == ast::Variable::Scope::Saved) return read_saved(v);
    if (v.scope != ast::Variable::Scope::Global) return {places_.at(&v), {}, {&v}};
    if (v.type == ast::Type::String) return {{ValueKind::Global, m_.global(&v)}, {}, {&v}};
    Value r = new_register();
    Inst &load = emit(Op::Load, r);
    load.global = m_.global(&v);
    load.access = access_of(&v);
    return {r, {}, {}};
}

Operand BodyLowerer::read_element(const ast::Index &e) {
    if (e.base->kind == ast::ExprKind::Hist) return lower_bucket(e);
    const ast::Variable *array = base_variable(e);
    if (const int iterator = own_element(e); iterator >= 0) return value_at(iterator, *array);
    std::vector<Operand> keys = lower_all(pointers(e.keys));
    Value r = new_register();
    Inst &get = emit(Op::MapGet, r);
    get.global = m_.global(array);
    get.access = access_of(array);
    get.args = values(keys);
    if (get.access == Access::Locked) failing(get, e.base->at);
    release(keys);
    return {r, {}, {}};
}

// The value of the element that an iterator is at.
Operand BodyLowerer::value_at(int iterator, const ast::Variable &array) {
    const Value value = array.type == ast::Type::String ? new_pointer() : new_register();
    Inst &get = emit(Op::IterValue, value);
    get.index = iterator;
    get.global = m_.global(&array);
    return {value, {}, {}};
}

Operand BodyLowerer::lower_long(const ast::Expr &e) {
    Operand o = lower_number(e);
    worked(e);
    return o;
}

Operand BodyLowerer::lower_number(const ast::Expr &e) {
    switch (e.kind) {
        case ast::ExprKind::Number:
            return {number(static_cast<const ast::Number &>(e).value), {}, {}};
        case ast::ExprKind::VarRef:
            return variable_value(*static_cast<const ast::VarRef &>(e).variable);
        case ast::ExprKind::Index:
            return read_element(static_cast<const ast::Index &>(e));
        case ast::ExprKind::In:
            return lower_membership(static_cast<const ast::In &>(e));
        case ast::ExprKind::Unary: {
            auto &unary = static_cast<const ast::Unary &>(e);
            if (unary.op == ast::UnaryOp::Plus) return lower_long(*unary.operand);
            Operand o = lower_long(*unary.operand);
            Value r = new_register();
            Op op = unary.op == ast::UnaryOp::Minus ? Op::Neg
                    : unary.op == ast::UnaryOp::Not ? Op::Not
                                                    : Op::Complement;
            emit(op, r, o.value);
            return {r, {}, {}};
        }
        case ast::ExprKind::IncDec:
            return increment(static_cast<const ast::IncDec &>(e), true);
        case ast::ExprKind::Assign:
            return assign(static_cast<const ast::Assign &>(e), true);
        case ast::ExprKind::Binary:
            return lower_binary(static_cast<const ast::Binary &>(e));
        case ast::ExprKind::Logical:
            return lower_logical(e);
        case ast::ExprKind::Compare:
            return lower_compare(static_cast<const ast::Compare &>(e));
        case ast::ExprKind::Ternary:
            return lower_ternary(static_cast<const ast::Ternary &>(e));
        case ast::ExprKind::Call:
            return call(static_cast<const ast::Call &>(e), {});
        case ast::ExprKind::StatOp:
            return lower_stat(static_cast<const ast::StatOp &>(e));
        case ast::ExprKind::EmbeddedC:
        case ast::ExprKind::Const: {
            const bool constant = e.kind == ast::ExprKind::Const;
            Value r = new_register();
            emit(Op::EmbeddedExpr, r).index =
                constant ? m_.add({static_cast<const ast::Const &>(e).code, ast::Type::Long, e.at, true, {}})
                         : m_.snippet(static_cast<const ast::EmbeddedCExpr &>(e), ast::Type::Long);
            if (!constant) failing(body_.code.back(), e.at);
            return {r, {}, {}};
        }
        case ast::ExprKind::Print:
            print(static_cast<const ast::Print &>(e));
            return {number(0), {}, {}};
        case ast::ExprKind::Regex:
            return lower_regex(static_cast<const ast::Regex &>(e));
        case ast::ExprKind::Register:
            return lower_register(static_cast<const ast::Register &>(e));
        case ast::ExprKind::Deref:
            return lower_deref(static_cast<const ast::Deref &>(e));
        case ast::ExprKind::ProgramAddress:
            return lower_program_address(static_cast<const ast::ProgramAddress &>(e));
        case ast::ExprKind::SymbolAddress:
            return lower_symbol(static_cast<const ast::SymbolAddress &>(e));
        case ast::ExprKind::HitArgument: {
            Value r = new_register();
            emit(Op::HitArgument, r).index = static_cast<int>(static_cast<const ast::HitArgument &>(e).number);
            return {r, {}, {}};
        }
        default:
            m_.unsupported(e, "this context expression");
            return {number(0), {}, {}};
    }
}

Operand BodyLowerer::lower_binary(const ast::Binary &e) {
    Operand l = lower_long(*e.left);
    protect(l, {e.right.get()});
    Operand r = lower_long(*e.right);
    return {binary(e.op, l.value, r.value, e.at), {}, {}};
}

void BodyLowerer::check_divisor(Value divisor, const SourceRef &at) {
    if (divisor.kind == ValueKind::Int)
        failing(emit(Op::Raise, {}, m_.literal("division by 0")), at);
    else
        failing(emit(Op::CheckDivisor, {}, divisor), at);
}

Value BodyLowerer::binary(ast::BinaryOp op, Value a, Value b, const SourceRef &at) {
    Value r = new_register();
    bool divides = op == ast::BinaryOp::Div || op == ast::BinaryOp::Mod;
    int end = -1;
    if (divides && (b.kind != ValueKind::Int || b.n == 0)) {
        if (kind_ == Kind::Condition) {
            end = new_label();
            emit(Op::Move, r, number(0));
            if (b.kind == ValueKind::Int)
                jump(end);
            else
                emit(Op::JumpUnless, {}, b).target = end;
        } else {
            check_divisor(b, at);
        }
    }
    emit(Op::Binary, r, a, b).detail = static_cast<uint8_t>(op);
    if (end >= 0) label(end);
    return r;
}

// Falls through when `e` is true.
void BodyLowerer::branch_false(const ast::Expr &e, int target) {
    if (e.kind == ast::ExprKind::Unary && static_cast<const ast::Unary &>(e).op == ast::UnaryOp::Not)
        return branch_true(*static_cast<const ast::Unary &>(e).operand, target);
    if (e.kind == ast::ExprKind::Logical) {
        auto &logical = static_cast<const ast::Logical &>(e);
        if (logical.is_and) {
            branch_false(*logical.left, target);
            branch_false(*logical.right, target);
        } else {
            int yes = new_label();
            branch_true(*logical.left, yes);
            branch_false(*logical.right, target);
            label(yes);
        }
        return;
    }
    const Value holds = evaluate(e);
    work_ends();
    emit(Op::JumpUnless, {}, holds).target = target;
}

// Falls through when `e` is false.
void BodyLowerer::branch_true(const ast::Expr &e, int target) {
    if (e.kind == ast::ExprKind::Unary && static_cast<const ast::Unary &>(e).op == ast::UnaryOp::Not)
        return branch_false(*static_cast<const ast::Unary &>(e).operand, target);
    if (e.kind == ast::ExprKind::Logical) {
        auto &logical = static_cast<const ast::Logical &>(e);
        if (logical.is_and) {
            int no = new_label();
            branch_false(*logical.left, no);
            branch_true(*logical.right, target);
            label(no);
        } else {
            branch_true(*logical.left, target);
            branch_true(*logical.right, target);
        }
        return;
    }
    const Value holds = evaluate(e);
    work_ends();
    emit(Op::JumpIf, {}, holds).target = target;
}

Operand BodyLowerer::lower_logical(const ast::Expr &e) {
    Value r = new_register();
    int no = new_label(), end = new_label();
    branch_false(e, no);
    emit(Op::Move, r, number(1));
    jump(end);
    label(no);
    emit(Op::Move, r, number(0));
    label(end);
    return {r, {}, {}};
}

Operand BodyLowerer::lower_compare(const ast::Compare &e) {
    Operand l = lower(*e.left);
    protect(l, {e.right.get()});
    Operand r = lower(*e.right);
    Value dst = new_register();
    Op op = e.left->type == ast::Type::String ? Op::StrCompare : Op::Compare;
    if (l.value == r.value) {
        bool holds = e.op == ast::CompareOp::Le || e.op == ast::CompareOp::Ge || e.op == ast::CompareOp::Eq;
        release(l);
        release(r);
        return {number(holds), {}, {}};
    }
    emit(op, dst, l.value, r.value).detail = static_cast<uint8_t>(e.op);
    release(l);
    release(r);
    return {dst, {}, {}};
}

Operand BodyLowerer::lower_regex(const ast::Regex &e) {
    Operand subject = lower_string(*e.left);
    Value dst = new_register();
    emit(Op::RegexMatch, dst, subject.value).index = m_.regex(e);
    look(e.at);
    if (e.negated) emit(Op::Not, dst, dst);
    release(subject);
    return {dst, {}, {}};
}

Operand BodyLowerer::lower_ternary(const ast::Ternary &e) {
    Value r = new_register();
    int other = new_label(), end = new_label();
    branch_false(*e.cond, other);
    emit(Op::Move, r, evaluate(*e.then_expr));
    work_ends();
    jump(end);
    label(other);
    emit(Op::Move, r, evaluate(*e.else_expr));
    work_ends();
    label(end);
    return {r, {}, {}};
}

Operand BodyLowerer::lower_membership(const ast::In &e) {
    const ast::Variable *array = base_variable(*e.array);
    if (e.array->kind == ast::ExprKind::Hist) {
        // A bucket is there when its number is.
        Value key = evaluate(*e.keys.at(0));
        Value count = number(static_cast<const ast::Hist &>(*e.array).shape.buckets());
        Value low = new_register(), high = new_register(), r = new_register();
        emit(Op::Compare, low, key, number(0)).detail = static_cast<uint8_t>(ast::CompareOp::Ge);
        emit(Op::Compare, high, key, count).detail = static_cast<uint8_t>(ast::CompareOp::Lt);
        emit(Op::Binary, r, low, high).detail = static_cast<uint8_t>(ast::BinaryOp::And);
        return {r, {}, {}};
    }
    std::vector<Operand> keys = lower_all(pointers(e.keys));
    bool slice = false;
    for (const ast::ExprPtr &key : e.keys)
        slice |= !key;
    Value r = new_register();
    Inst &has = emit(slice ? Op::MapHasSlice : Op::MapHas, r);
    has.global = m_.global(array);
    has.args = values(keys);
    if (slice) failing(has, e.at);
    release(keys);
    return {r, {}, {}};
}

// Arguments once, then the overloads in their order until one does not say `next`.
Operand BodyLowerer::call(const ast::Call &e, Value want) {
    const ast::Function &first = *e.candidates.at(0);
    std::vector<Operand> args = lower_all(pointers(e.args));
    bool copies = false;
    for (const ast::Function *f : e.candidates)
        copies |= f->embedded_c && !f->pragmas.unmodified_fnargs;
    for (size_t i = 0; i < args.size(); i++) {
        Operand &arg = args[i];
        if (!arg.value.is_string()) continue;
        bool owned = arg.owned.size() == 1 && arg.owned[0] == arg.value;
        bool changes = false;
        for (const ast::Variable *v : arg.refs)
            for (const ast::Function *f : e.candidates) {
                const Touches &touched = m_.effects.function(f).effects.globals;
                auto found = touched.find(v);
                changes |= found != touched.end() && (found->second.how & kTouchWrites);
            }
        if ((copies && !owned) || changes) {
            Value buffer = take_buffer();
            copy_string(buffer, arg.value);
            release(arg);
            arg = {buffer, {buffer}, {}};
        }
    }
    Operand result;
    const bool lent_by_all = lends(e);
    if (lent_by_all) {
        result.value = new_pointer();
    } else if (first.type == ast::Type::String) {
        result.value = want;
        if (!want) {
            result.value = take_buffer();
            result.owned = {result.value};
        }
    } else if (first.type != ast::Type::Void) {
        result.value = new_register();
    }
    // The first candidate that never falls through ends the chain; later ones are unreachable.
    bool exhausts = true;
    int done = -1;
    for (const ast::Function *f : e.candidates) {
        int index = m_.function(f);
        callees_.insert(index);
        const bool copies_loan = !lent_by_all && f->embedded_c && f->pragmas.borrowed;
        const Value lent = copies_loan ? new_pointer() : result.value;
        Inst &inst = emit(Op::Call, lent);
        inst.index = index;
        inst.args = values(args);
        if (m_.effects.function(f).has_next) inst.next = new_register();
        Value next = inst.next;
        if (m_.may_fail(f)) failing(inst, e.at);
        if (copies_loan) copy_string(result.value, lent);
        exhausts = static_cast<bool>(next);
        if (!exhausts) break;
        if (done < 0) done = new_label();
        emit(Op::JumpUnless, {}, next).target = done;
    }
    if (exhausts) failing(emit(Op::Raise, {}, m_.literal("all functions exhausted")), e.at);
    if (done >= 0) label(done);
    release(args);
    if (!result.value) result.value = number(0);
    return result;
}

}  // namespace tapir::ir
