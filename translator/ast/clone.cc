// SPDX-License-Identifier: GPL-2.0-or-later
#include "ast/ast.h"

namespace tapir::ast {

namespace {

ExprPtr copy(const ExprPtr &expr) {
    return expr ? clone(*expr) : nullptr;
}
StmtPtr copy(const StmtPtr &stmt) {
    return stmt ? clone(*stmt) : nullptr;
}

std::unique_ptr<VarRef> copy(const std::unique_ptr<VarRef> &ref) {
    return ref ? std::make_unique<VarRef>(ref->at, ref->name) : nullptr;
}

std::vector<ExprPtr> copy(const std::vector<ExprPtr> &list) {
    std::vector<ExprPtr> result;
    result.reserve(list.size());
    for (const ExprPtr &expr : list)
        result.push_back(copy(expr));
    return result;
}

std::vector<Component> copy(const std::vector<Component> &list) {
    std::vector<Component> result;
    result.reserve(list.size());
    for (const Component &from : list) {
        Component &to = result.emplace_back();
        to.kind = from.kind;
        to.at = from.at;
        to.member = from.member;
        to.index = copy(from.index);
        to.pretty_depth = from.pretty_depth;
    }
    return result;
}

ExprPtr clone_print(const Print &from) {
    auto to = std::make_unique<Print>(from.at);
    to->to_string = from.to_string;
    to->formatted = from.formatted;
    to->newline = from.newline;
    to->as_char = from.as_char;
    to->delimited = from.delimited;
    to->delimiter = from.delimiter;
    to->format = from.format;
    to->pieces = from.pieces;
    to->args = copy(from.args);
    to->name = from.name;
    return to;
}

ExprPtr clone_hist(const Hist &from) {
    return std::make_unique<Hist>(from.at, from.shape, copy(from.stat));
}

ExprPtr clone_stat_op(const StatOp &from) {
    auto to = std::make_unique<StatOp>(from.at, from.op, copy(from.stat));
    to->shift = from.shift;
    to->part = copy(from.part);
    to->whole = copy(from.whole);
    return to;
}

ExprPtr clone_target(const Target &from) {
    auto to = std::make_unique<Target>(from.at, from.name);
    to->address_of = from.address_of;
    to->components = copy(from.components);
    return to;
}

ExprPtr clone_cast(const Cast &from) {
    auto to = std::make_unique<Cast>(from.at, copy(from.operand));
    to->type_name = from.type_name;
    to->module = from.module;
    to->address_of = from.address_of;
    to->components = copy(from.components);
    return to;
}

ExprPtr clone_at_var(const AtVar &from) {
    auto to = std::make_unique<AtVar>(from.at);
    to->name = from.name;
    to->module = from.module;
    to->address_of = from.address_of;
    to->components = copy(from.components);
    return to;
}

ExprPtr clone_enum(const Enum &from) {
    auto to = std::make_unique<Enum>(from.at);
    to->wants_name = from.wants_name;
    to->name = from.name;
    to->value = copy(from.value);
    to->module = from.module;
    return to;
}

template <class Node>
const Node &as(const Expr &expr) {
    return static_cast<const Node &>(expr);
}
template <class Node>
const Node &as(const Stmt &stmt) {
    return static_cast<const Node &>(stmt);
}

StmtPtr clone_foreach(const Foreach &from) {
    auto to = std::make_unique<Foreach>(from.at);
    for (const auto &key : from.keys)
        to->keys.push_back(copy(key));
    to->value = copy(from.value);
    to->array = copy(from.array);
    to->slice = copy(from.slice);
    to->sort = from.sort;
    to->sort_column = from.sort_column;
    to->sort_stat = from.sort_stat;
    to->sort_at = from.sort_at;
    to->limit = copy(from.limit);
    to->body = copy(from.body);
    return to;
}

ExprPtr clone_node(const Expr &e) {
    switch (e.kind) {
        case ExprKind::Number:
            return std::make_unique<Number>(e.at, as<Number>(e).value);
        case ExprKind::String:
            return std::make_unique<String>(e.at, as<String>(e).value);
        case ExprKind::EmbeddedC:
            return std::make_unique<EmbeddedCExpr>(e.at, as<EmbeddedCExpr>(e).code);
        case ExprKind::VarRef:
            return std::make_unique<VarRef>(e.at, as<VarRef>(e).name);
        case ExprKind::Index:
            return std::make_unique<Index>(e.at, copy(as<Index>(e).base), copy(as<Index>(e).keys));
        case ExprKind::In:
            return std::make_unique<In>(e.at, copy(as<In>(e).keys), copy(as<In>(e).array));
        case ExprKind::Unary:
            return std::make_unique<Unary>(e.at, as<Unary>(e).op, copy(as<Unary>(e).operand));
        case ExprKind::IncDec:
            return std::make_unique<IncDec>(e.at, as<IncDec>(e).increment, as<IncDec>(e).prefix,
                                            copy(as<IncDec>(e).target));
        case ExprKind::Binary:
            return std::make_unique<Binary>(e.at, as<Binary>(e).op, copy(as<Binary>(e).left),
                                            copy(as<Binary>(e).right));
        case ExprKind::Logical:
            return std::make_unique<Logical>(e.at, as<Logical>(e).is_and, copy(as<Logical>(e).left),
                                             copy(as<Logical>(e).right));
        case ExprKind::Compare:
            return std::make_unique<Compare>(e.at, as<Compare>(e).op, copy(as<Compare>(e).left),
                                             copy(as<Compare>(e).right));
        case ExprKind::Regex:
            return std::make_unique<Regex>(e.at, as<Regex>(e).negated, copy(as<Regex>(e).left), as<Regex>(e).pattern,
                                           as<Regex>(e).pattern_at);
        case ExprKind::Concat:
            return std::make_unique<Concat>(e.at, copy(as<Concat>(e).left), copy(as<Concat>(e).right));
        case ExprKind::Ternary:
            return std::make_unique<Ternary>(e.at, copy(as<Ternary>(e).cond), copy(as<Ternary>(e).then_expr),
                                             copy(as<Ternary>(e).else_expr));
        case ExprKind::Assign:
            return std::make_unique<Assign>(e.at, as<Assign>(e).op, copy(as<Assign>(e).target),
                                            copy(as<Assign>(e).value));
        case ExprKind::Call:
            return std::make_unique<Call>(e.at, as<Call>(e).name, copy(as<Call>(e).args));
        case ExprKind::Print:
            return clone_print(as<Print>(e));
        case ExprKind::StatOp:
            return clone_stat_op(as<StatOp>(e));
        case ExprKind::Hist:
            return clone_hist(as<Hist>(e));
        case ExprKind::Target:
            return clone_target(as<Target>(e));
        case ExprKind::Cast:
            return clone_cast(as<Cast>(e));
        case ExprKind::AtVar:
            return clone_at_var(as<AtVar>(e));
        case ExprKind::Entry:
            return std::make_unique<Entry>(e.at, copy(as<Entry>(e).operand));
        case ExprKind::Defined:
            return std::make_unique<Defined>(e.at, copy(as<Defined>(e).operand));
        case ExprKind::ProbeWrite:
            return std::make_unique<ProbeWrite>(e.at, as<ProbeWrite>(e).name);
        case ExprKind::Const:
            return std::make_unique<Const>(e.at, as<Const>(e).code);
        case ExprKind::Enum:
            return clone_enum(as<Enum>(e));
        case ExprKind::Perf:
            return std::make_unique<Perf>(e.at, as<Perf>(e).name);
        case ExprKind::Register:
            return std::make_unique<Register>(e.at, as<Register>(e).user, copy(as<Register>(e).number));
        case ExprKind::Deref:
            return std::make_unique<Deref>(e.at, as<Deref>(e).user, copy(as<Deref>(e).size),
                                           copy(as<Deref>(e).address));
        case ExprKind::SymbolAddress:
            return std::make_unique<SymbolAddress>(e.at, as<SymbolAddress>(e).module, as<SymbolAddress>(e).symbol,
                                                   as<SymbolAddress>(e).offset);
        case ExprKind::ProgramAddress:
            return std::make_unique<ProgramAddress>(e.at, as<ProgramAddress>(e).path, as<ProgramAddress>(e).linked);
        case ExprKind::HitArgument:
            return std::make_unique<HitArgument>(e.at, as<HitArgument>(e).number);
    }
    return nullptr;
}

}  // namespace

ExprPtr clone(const Expr &e) {
    ExprPtr to = clone_node(e);
    to->target_type = e.target_type;
    return to;
}

StmtPtr clone(const Stmt &s) {
    switch (s.kind) {
        case StmtKind::Null:
            return std::make_unique<NullStmt>(s.at);
        case StmtKind::Block: {
            auto to = std::make_unique<Block>(s.at);
            for (const StmtPtr &stmt : as<Block>(s).body)
                to->body.push_back(copy(stmt));
            return to;
        }
        case StmtKind::Expr:
            return std::make_unique<ExprStmt>(s.at, copy(as<ExprStmt>(s).expr));
        case StmtKind::EmbeddedC:
            return std::make_unique<EmbeddedCStmt>(s.at, as<EmbeddedCStmt>(s).code);
        case StmtKind::If: {
            auto to = std::make_unique<If>(s.at);
            to->cond = copy(as<If>(s).cond);
            to->then_stmt = copy(as<If>(s).then_stmt);
            to->else_stmt = copy(as<If>(s).else_stmt);
            return to;
        }
        case StmtKind::For: {
            auto to = std::make_unique<For>(s.at);
            to->init = copy(as<For>(s).init);
            to->cond = copy(as<For>(s).cond);
            to->step = copy(as<For>(s).step);
            to->body = copy(as<For>(s).body);
            return to;
        }
        case StmtKind::While: {
            auto to = std::make_unique<While>(s.at);
            to->cond = copy(as<While>(s).cond);
            to->body = copy(as<While>(s).body);
            return to;
        }
        case StmtKind::Foreach:
            return clone_foreach(as<Foreach>(s));
        case StmtKind::Return: {
            auto to = std::make_unique<Return>(s.at);
            to->value = copy(as<Return>(s).value);
            return to;
        }
        case StmtKind::Delete:
            return std::make_unique<Delete>(s.at, copy(as<Delete>(s).target));
        case StmtKind::Next:
            return std::make_unique<Next>(s.at);
        case StmtKind::Break:
            return std::make_unique<Break>(s.at);
        case StmtKind::Continue:
            return std::make_unique<Continue>(s.at);
        case StmtKind::Try: {
            auto to = std::make_unique<Try>(s.at);
            to->body = copy(as<Try>(s).body);
            to->error = copy(as<Try>(s).error);
            to->handler = copy(as<Try>(s).handler);
            return to;
        }
    }
    return nullptr;
}

ProbePoint clone(const ProbePoint &from) {
    ProbePoint to;
    for (const PointComponent &component : from.components)
        to.components.push_back({component.name, component.at, copy(component.arg)});
    to.optional = from.optional;
    to.sufficient = from.sufficient;
    to.condition = copy(from.condition);
    to.at = from.at;
    return to;
}

}  // namespace tapir::ast
