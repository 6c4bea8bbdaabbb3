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
    to->row_of = from.row_of;
    to->table = from.table;
    to->event = from.event;
    to->event_name = from.event_name;
    to->events = from.events;
    return to;
}

ExprPtr clone_hist(const Hist &from) {
    auto to = std::make_unique<Hist>(from.at, from.shape, copy(from.stat));
    to->unit = from.unit;
    to->subject = from.subject;
    to->unit_at = from.unit_at;
    return to;
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
const Node &of(const Expr &expr) {
    return static_cast<const Node &>(expr);
}
template <class Node>
const Node &of(const Stmt &stmt) {
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

ExprPtr clone_number(const Number &from) {
    auto to = std::make_unique<Number>(from.at, from.value);
    to->option = from.option;
    return to;
}

ExprPtr clone_node(const Expr &e) {
    switch (e.kind) {
        case ExprKind::Number:
            return clone_number(of<Number>(e));
        case ExprKind::String:
            return std::make_unique<String>(e.at, of<String>(e).value);
        case ExprKind::EmbeddedC:
            return std::make_unique<EmbeddedCExpr>(e.at, of<EmbeddedCExpr>(e).code);
        case ExprKind::VarRef:
            return std::make_unique<VarRef>(e.at, of<VarRef>(e).name);
        case ExprKind::Index:
            return std::make_unique<Index>(e.at, copy(of<Index>(e).base), copy(of<Index>(e).keys));
        case ExprKind::In:
            return std::make_unique<In>(e.at, copy(of<In>(e).keys), copy(of<In>(e).array));
        case ExprKind::Unary:
            return std::make_unique<Unary>(e.at, of<Unary>(e).op, copy(of<Unary>(e).operand));
        case ExprKind::IncDec:
            return std::make_unique<IncDec>(e.at, of<IncDec>(e).increment, of<IncDec>(e).prefix,
                                            copy(of<IncDec>(e).target));
        case ExprKind::Binary:
            return std::make_unique<Binary>(e.at, of<Binary>(e).op, copy(of<Binary>(e).left),
                                            copy(of<Binary>(e).right));
        case ExprKind::Logical:
            return std::make_unique<Logical>(e.at, of<Logical>(e).is_and, copy(of<Logical>(e).left),
                                             copy(of<Logical>(e).right));
        case ExprKind::Compare:
            return std::make_unique<Compare>(e.at, of<Compare>(e).op, copy(of<Compare>(e).left),
                                             copy(of<Compare>(e).right));
        case ExprKind::Regex:
            return std::make_unique<Regex>(e.at, of<Regex>(e).negated, copy(of<Regex>(e).left), of<Regex>(e).pattern,
                                           of<Regex>(e).pattern_at);
        case ExprKind::Concat:
            return std::make_unique<Concat>(e.at, copy(of<Concat>(e).left), copy(of<Concat>(e).right));
        case ExprKind::Ternary:
            return std::make_unique<Ternary>(e.at, copy(of<Ternary>(e).cond), copy(of<Ternary>(e).then_expr),
                                             copy(of<Ternary>(e).else_expr));
        case ExprKind::Assign:
            return std::make_unique<Assign>(e.at, of<Assign>(e).op, copy(of<Assign>(e).target),
                                            copy(of<Assign>(e).value));
        case ExprKind::Call:
            return std::make_unique<Call>(e.at, of<Call>(e).name, copy(of<Call>(e).args));
        case ExprKind::Print:
            return clone_print(of<Print>(e));
        case ExprKind::StatOp:
            return clone_stat_op(of<StatOp>(e));
        case ExprKind::Hist:
            return clone_hist(of<Hist>(e));
        case ExprKind::Target:
            return clone_target(of<Target>(e));
        case ExprKind::Cast:
            return clone_cast(of<Cast>(e));
        case ExprKind::AtVar:
            return clone_at_var(of<AtVar>(e));
        case ExprKind::Entry:
            return std::make_unique<Entry>(e.at, copy(of<Entry>(e).operand));
        case ExprKind::Defined:
            return std::make_unique<Defined>(e.at, copy(of<Defined>(e).operand));
        case ExprKind::ProbeWrite:
            return std::make_unique<ProbeWrite>(e.at, of<ProbeWrite>(e).name);
        case ExprKind::Const:
            return std::make_unique<Const>(e.at, of<Const>(e).code);
        case ExprKind::Enum:
            return clone_enum(of<Enum>(e));
        case ExprKind::Perf:
            return std::make_unique<Perf>(e.at, of<Perf>(e).name);
        case ExprKind::Register:
            return std::make_unique<Register>(e.at, of<Register>(e).user, copy(of<Register>(e).number));
        case ExprKind::Deref:
            return std::make_unique<Deref>(e.at, of<Deref>(e).user, copy(of<Deref>(e).size),
                                           copy(of<Deref>(e).address));
        case ExprKind::SymbolAddress:
            return std::make_unique<SymbolAddress>(e.at, of<SymbolAddress>(e).module, of<SymbolAddress>(e).symbol,
                                                   of<SymbolAddress>(e).offset);
        case ExprKind::ProgramAddress:
            return std::make_unique<ProgramAddress>(e.at, of<ProgramAddress>(e).path, of<ProgramAddress>(e).linked);
        case ExprKind::HitArgument:
            return std::make_unique<HitArgument>(e.at, of<HitArgument>(e).number);
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
            for (const StmtPtr &stmt : of<Block>(s).body)
                to->body.push_back(copy(stmt));
            return to;
        }
        case StmtKind::Expr:
            return std::make_unique<ExprStmt>(s.at, copy(of<ExprStmt>(s).expr));
        case StmtKind::EmbeddedC:
            return std::make_unique<EmbeddedCStmt>(s.at, of<EmbeddedCStmt>(s).code);
        case StmtKind::If: {
            auto to = std::make_unique<If>(s.at);
            to->cond = copy(of<If>(s).cond);
            to->then_stmt = copy(of<If>(s).then_stmt);
            to->else_stmt = copy(of<If>(s).else_stmt);
            to->written = of<If>(s).written;
            return to;
        }
        case StmtKind::For: {
            auto to = std::make_unique<For>(s.at);
            to->init = copy(of<For>(s).init);
            to->cond = copy(of<For>(s).cond);
            to->step = copy(of<For>(s).step);
            to->body = copy(of<For>(s).body);
            return to;
        }
        case StmtKind::While: {
            auto to = std::make_unique<While>(s.at);
            to->cond = copy(of<While>(s).cond);
            to->body = copy(of<While>(s).body);
            return to;
        }
        case StmtKind::Foreach:
            return clone_foreach(of<Foreach>(s));
        case StmtKind::Return: {
            auto to = std::make_unique<Return>(s.at);
            to->value = copy(of<Return>(s).value);
            return to;
        }
        case StmtKind::Delete:
            return std::make_unique<Delete>(s.at, copy(of<Delete>(s).target));
        case StmtKind::Next:
            return std::make_unique<Next>(s.at);
        case StmtKind::Break:
            return std::make_unique<Break>(s.at);
        case StmtKind::Continue:
            return std::make_unique<Continue>(s.at);
        case StmtKind::Try: {
            auto to = std::make_unique<Try>(s.at);
            to->body = copy(of<Try>(s).body);
            to->error = copy(of<Try>(s).error);
            to->handler = copy(of<Try>(s).handler);
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
