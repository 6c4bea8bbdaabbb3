// SPDX-License-Identifier: GPL-2.0-or-later
// Strings. A value is borrowed where it is for as long as possible; `want` is a place the result may be built in.
#include <algorithm>

#include "ast/walk.h"
#include "ir/lowerer.h"

namespace tapir::ir {

void BodyLowerer::copy_string(Value dst, Value src) {
    if (!(dst == src)) emit(Op::Copy, dst, src);
}

void BodyLowerer::lower_string_into(const ast::Expr &e, Value dst) {
    Operand o = lower_string(e, dst);
    copy_string(dst, o.value);
    release(o);
}

Operand BodyLowerer::lower_string(const ast::Expr &e, Value want) {
    Operand o = lower_text(e, want);
    worked(e);
    return o;
}

Operand BodyLowerer::lower_text(const ast::Expr &e, Value want) {
    switch (e.kind) {
        case ast::ExprKind::String:
            return {m_.literal(static_cast<const ast::String &>(e).value), {}, {}};
        case ast::ExprKind::VarRef:
            return variable_value(*static_cast<const ast::VarRef &>(e).variable);
        case ast::ExprKind::Index: {
            auto &index = static_cast<const ast::Index &>(e);
            if (const int iterator = own_element(index); iterator >= 0) {
                const Operand value = value_at(iterator, *base_variable(e));
                if (!want) return value;
                copy_string(want, value.value);
                return {want, {}, {}};
            }
            std::vector<Operand> keys = lower_all(pointers(index.keys));
            Value dst = want ? want : take_buffer();
            Inst &get = emit(Op::MapGet, dst);
            get.global = m_.global(base_variable(e));
            get.args = values(keys);
            release(keys);
            return {dst, want ? std::vector<Value>{} : std::vector<Value>{dst}, {}};
        }
        case ast::ExprKind::Concat:
            return concat(e, want);
        case ast::ExprKind::Ternary:
            return string_ternary(static_cast<const ast::Ternary &>(e), want);
        case ast::ExprKind::Assign:
            return assign(static_cast<const ast::Assign &>(e), true);
        case ast::ExprKind::Call:
            return call(static_cast<const ast::Call &>(e), want);
        case ast::ExprKind::Print:
            return sprint(static_cast<const ast::Print &>(e), want);
        case ast::ExprKind::EmbeddedC: {
            Value p = new_pointer();
            emit(Op::EmbeddedExpr, p).index = m_.snippet(static_cast<const ast::EmbeddedCExpr &>(e), ast::Type::String);
            failing(body_.code.back(), e.at);
            Value dst = want ? want : take_buffer();
            copy_string(dst, p);
            return {dst, want ? std::vector<Value>{} : std::vector<Value>{dst}, {}};
        }
        default:
            m_.unsupported(e, "this context expression");
            return {m_.literal(""), {}, {}};
    }
}

// The result is a text that stays: no temporary, and nothing can change it.
bool BodyLowerer::lends(const ast::Call &e) {
    return std::all_of(e.candidates.begin(), e.candidates.end(),
                       [](const ast::Function *f) { return f->embedded_c && f->pragmas.borrowed; });
}

bool BodyLowerer::stays(const ast::Expr &e) {
    switch (e.kind) {
        case ast::ExprKind::String:
            return true;
        case ast::ExprKind::Call:
            return lends(static_cast<const ast::Call &>(e));
        case ast::ExprKind::Ternary: {
            auto &ternary = static_cast<const ast::Ternary &>(e);
            return stays(*ternary.then_expr) && stays(*ternary.else_expr);
        }
        default:
            return false;
    }
}

// Local variables that get nothing but texts that stay need no copies of them.
void BodyLowerer::find_lent() {
    std::set<const ast::Variable *> others;
    const auto other = [&](const ast::Expr *e) {
        if (e && e->kind == ast::ExprKind::VarRef) others.insert(static_cast<const ast::VarRef *>(e)->variable);
    };
    ast::each_expr(*root_, [&](const ast::Expr &e) {
        if (e.kind != ast::ExprKind::Assign) return;
        auto &assign = static_cast<const ast::Assign &>(e);
        if (assign.target->kind != ast::ExprKind::VarRef) return;
        const ast::Variable *v = static_cast<const ast::VarRef &>(*assign.target).variable;
        if (assign.op != ast::AssignOp::Set || !stays(*assign.value))
            others.insert(v);
        else if (v->scope == ast::Variable::Scope::Local && v->type == ast::Type::String && !places_.count(v))
            lent_.insert(v);
    });
    ast::each_stmt(*root_, [&](const ast::Stmt &s) {
        if (s.kind == ast::StmtKind::Try) {
            other(static_cast<const ast::Try &>(s).error.get());
        } else if (s.kind == ast::StmtKind::Foreach) {
            auto &loop = static_cast<const ast::Foreach &>(s);
            for (const auto &key : loop.keys)
                other(key.get());
            other(loop.value.get());
        }
    });
    for (const ast::Variable *v : others)
        lent_.erase(v);
}

static void flatten(const ast::Expr &e, std::vector<const ast::Expr *> &parts) {
    if (e.kind != ast::ExprKind::Concat) {
        parts.push_back(&e);
        return;
    }
    flatten(*static_cast<const ast::Concat &>(e).left, parts);
    flatten(*static_cast<const ast::Concat &>(e).right, parts);
}

// a . b . c builds up in one buffer. Each part is appended before the next is evaluated.
Operand BodyLowerer::concat(const ast::Expr &e, Value want) {
    std::vector<const ast::Expr *> parts;
    flatten(e, parts);
    Operand first = lower_string(*parts[0]);
    protect(first, {parts[1]});
    Operand second = lower_string(*parts[1]);
    Value dst = want ? want : take_buffer();
    emit(Op::Concat, dst, first.value, second.value);
    release(first);
    release(second);
    for (size_t i = 2; i < parts.size(); i++) {
        Operand next = lower_string(*parts[i]);
        emit(Op::Append, dst, next.value);
        release(next);
    }
    return {dst, want ? std::vector<Value>{} : std::vector<Value>{dst}, {}};
}

Operand BodyLowerer::string_ternary(const ast::Ternary &e, Value want) {
    int other = new_label(), end = new_label();
    Operand result;
    result.value = want ? want : new_pointer();
    auto arm = [&](const ast::Expr &value) {
        if (want) {
            lower_string_into(value, want);
            return;
        }
        Operand o = lower_string(value);
        emit(Op::Point, result.value, o.value);
        absorb(result, o);
    };
    branch_false(*e.cond, other);
    arm(*e.then_expr);
    work_ends();
    jump(end);
    label(other);
    arm(*e.else_expr);
    work_ends();
    label(end);
    return result;
}

}  // namespace tapir::ir
