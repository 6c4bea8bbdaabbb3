// SPDX-License-Identifier: GPL-2.0-or-later
// From an expression's kind to its class.
#pragma once

#include <type_traits>

#include "ast/ast.h"

namespace tapir::ast {

// fn(node) with the node as what it is: fn is an overload set or a template, for Expr & or const Expr &.
template <class E, class Fn>
void visit(E &expr, Fn &&fn) {
#define TAPIR_VISIT(Kind, Class) \
    case ExprKind::Kind:         \
        return fn(static_cast<std::conditional_t<std::is_const_v<E>, const Class, Class> &>(expr))
    switch (expr.kind) {
        TAPIR_VISIT(Number, Number);
        TAPIR_VISIT(String, String);
        TAPIR_VISIT(EmbeddedC, EmbeddedCExpr);
        TAPIR_VISIT(VarRef, VarRef);
        TAPIR_VISIT(Index, Index);
        TAPIR_VISIT(In, In);
        TAPIR_VISIT(Unary, Unary);
        TAPIR_VISIT(IncDec, IncDec);
        TAPIR_VISIT(Binary, Binary);
        TAPIR_VISIT(Logical, Logical);
        TAPIR_VISIT(Compare, Compare);
        TAPIR_VISIT(Regex, Regex);
        TAPIR_VISIT(Concat, Concat);
        TAPIR_VISIT(Ternary, Ternary);
        TAPIR_VISIT(Assign, Assign);
        TAPIR_VISIT(Call, Call);
        TAPIR_VISIT(Print, Print);
        TAPIR_VISIT(StatOp, StatOp);
        TAPIR_VISIT(Hist, Hist);
        TAPIR_VISIT(Target, Target);
        TAPIR_VISIT(Cast, Cast);
        TAPIR_VISIT(AtVar, AtVar);
        TAPIR_VISIT(Entry, Entry);
        TAPIR_VISIT(Defined, Defined);
        TAPIR_VISIT(ProbeWrite, ProbeWrite);
        TAPIR_VISIT(Const, Const);
        TAPIR_VISIT(Enum, Enum);
        TAPIR_VISIT(Perf, Perf);
        TAPIR_VISIT(Register, Register);
        TAPIR_VISIT(Deref, Deref);
        TAPIR_VISIT(SymbolAddress, SymbolAddress);
        TAPIR_VISIT(HitArgument, HitArgument);
        TAPIR_VISIT(ProgramAddress, ProgramAddress);
    }
#undef TAPIR_VISIT
}

}  // namespace tapir::ast
