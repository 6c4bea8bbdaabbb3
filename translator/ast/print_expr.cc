// SPDX-License-Identifier: GPL-2.0-or-later
#include "ast/print.h"

#include "ast/visit.h"
#include "common/quoting.h"

namespace tapir::ast {

namespace {

template <class Node>
const Node &as(const Expr &expr) {
    return static_cast<const Node &>(expr);
}

std::string_view unary_name(UnaryOp op) {
    switch (op) {
        case UnaryOp::Plus:
            return "+";
        case UnaryOp::Minus:
            return "-";
        case UnaryOp::Not:
            return "!";
        case UnaryOp::Complement:
            return "~";
    }
    return "";
}

std::string_view binary_name(BinaryOp op) {
    static constexpr std::string_view names[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"};
    return names[static_cast<size_t>(op)];
}

std::string_view compare_name(CompareOp op) {
    static constexpr std::string_view names[] = {"<", "<=", ">", ">=", "==", "!="};
    return names[static_cast<size_t>(op)];
}

std::string_view assign_name(AssignOp op) {
    static constexpr std::string_view names[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", ">>>=", ".=", "<<<"};
    return names[static_cast<size_t>(op)];
}

// Kinds that end like a word or a call and so need no brackets as operands.
bool is_closed(const Expr &expr) {
    switch (expr.kind) {
        case ExprKind::Number:
            return as<Number>(expr).value >= 0;
        case ExprKind::Target:
            return !as<Target>(expr).address_of;
        case ExprKind::Cast:
            return !as<Cast>(expr).address_of;
        case ExprKind::AtVar:
            return !as<AtVar>(expr).address_of;
        case ExprKind::EmbeddedC:  // at the start of a statement it would be a statement of its own
        case ExprKind::In:
        case ExprKind::Unary:
        case ExprKind::IncDec:
        case ExprKind::Binary:
        case ExprKind::Logical:
        case ExprKind::Compare:
        case ExprKind::Regex:
        case ExprKind::Concat:
        case ExprKind::Ternary:
        case ExprKind::Assign:
            return false;
        default:
            return true;
    }
}

}  // namespace

void Printer::expr(const Expr &e) {
    bool closed = is_closed(e);
    if (!closed) out_ += '(';
    bare(e);
    if (!closed) out_ += ')';
}

void Printer::pair(const Expr &left, std::string_view op, const Expr &right) {
    expr(left);
    out_ += ' ';
    out_ += op;
    out_ += ' ';
    expr(right);
}

void Printer::list(const std::vector<ExprPtr> &items) {
    bool first = true;
    for (const ExprPtr &item : items) {
        if (!first) out_ += ", ";
        first = false;
        if (item)
            expr(*item);
        else
            out_ += '*';
    }
}

void Printer::components(const std::vector<Component> &list) {
    for (const Component &component : list) {
        switch (component.kind) {
            case Component::Kind::Member:
                out_ += "->" + component.member;
                break;
            case Component::Kind::Index:
                out_ += '[';
                expr(*component.index);
                out_ += ']';
                break;
            case Component::Kind::Pretty:
                out_.append(static_cast<size_t>(component.pretty_depth), '$');
                break;
        }
    }
}

void Printer::with_module(const std::string &module) {
    if (!module.empty()) out_ += ", " + quote(module);
}

void Printer::show(const Print &print) {
    if (print.is_recall()) {
        out_ += print.name + "(" + quote(print.event_name) + ", " + std::to_string(print.events) + ", ";
        out_ += quote(print.format) + (print.args.empty() ? "" : ", ");
        list(print.args);
        out_ += ')';
        return;
    }
    out_ += print.name + "(";
    bool any = print.formatted || print.delimited;
    if (print.formatted) out_ += quote(print.row_of.empty() ? print.format : print.row_of);
    if (print.delimited) out_ += quote(print.delimiter);
    if (any && !print.args.empty()) out_ += ", ";
    list(print.args);
    out_ += ')';
}

void Printer::show(const Cast &cast) {
    if (cast.address_of) out_ += '&';
    if (cast.type_name.empty()) {  // members of a typed value
        out_ += '(';
        bare(*cast.operand);
        out_ += ')';
    } else {
        out_ += "@cast(";
        expr(*cast.operand);
        out_ += ", " + quote(cast.type_name);
        with_module(cast.module);
        out_ += ')';
    }
    components(cast.components);
}

void Printer::show(const StatOp &op) {
    out_ += std::string(stat_op_name(op.op)) + "(";
    expr(*op.stat);
    if (op.shift) out_ += ", " + std::to_string(op.shift);
    for (const ExprPtr *number : {&op.part, &op.whole}) {
        if (!*number) continue;
        out_ += ", ";
        expr(**number);
    }
    out_ += ')';
}

void Printer::show(const Hist &hist) {
    static const char *const kNames[] = {"@hist_log(", "@hist_linear(", "@hist_loglinear("};
    const HistShape &shape = hist.shape;
    out_ += kNames[static_cast<int>(shape.kind)];
    expr(*hist.stat);
    if (shape.kind != HistShape::Kind::Log)
        for (int64_t n : {shape.low, shape.high, shape.width})
            out_ += ", " + std::to_string(n);
    if (hist.unit) out_ += ", " + quote(hist.measure());
    out_ += ')';
}

void Printer::show(const Enum &node) {
    const bool by_type = node.wants_name && node.name.empty();
    out_ += (node.wants_name ? "@enumname(" : "@enum(") + (by_type ? "" : quote(node.name));
    if (node.value) {
        if (!by_type) out_ += ", ";
        expr(*node.value);
    }
    with_module(node.module);
    out_ += ')';
}

void Printer::show(const Number &e) {
    out_ += std::to_string(e.value);
}

void Printer::show(const String &e) {
    out_ += quote(e.value);
}

void Printer::show(const EmbeddedCExpr &e) {
    out_ += "%{" + e.code + "%}";
}

void Printer::show(const VarRef &e) {
    out_ += e.name;
}

void Printer::show(const Index &e) {
    expr(*e.base);
    out_ += '[';
    list(e.keys);
    out_ += ']';
}

void Printer::show(const In &e) {
    out_ += '[';
    list(e.keys);
    out_ += "] in ";
    expr(*e.array);
}

void Printer::show(const Unary &e) {
    out_ += unary_name(e.op);
    expr(*e.operand);
}

void Printer::show(const IncDec &e) {
    std::string_view op = e.increment ? "++" : "--";
    if (e.prefix) out_ += op;
    expr(*e.target);
    if (!e.prefix) out_ += op;
}

void Printer::show(const Binary &e) {
    pair(*e.left, binary_name(e.op), *e.right);
}

void Printer::show(const Logical &e) {
    pair(*e.left, e.is_and ? "&&" : "||", *e.right);
}

void Printer::show(const Compare &e) {
    pair(*e.left, compare_name(e.op), *e.right);
}

void Printer::show(const Regex &e) {
    expr(*e.left);
    out_ += (e.negated ? " !~ " : " =~ ") + quote(e.pattern);
}

void Printer::show(const Concat &e) {
    pair(*e.left, ".", *e.right);
}

void Printer::show(const Ternary &e) {
    pair(*e.cond, "?", *e.then_expr);
    out_ += " : ";
    expr(*e.else_expr);
}

void Printer::show(const Assign &e) {
    pair(*e.target, assign_name(e.op), *e.value);
}

void Printer::show(const Call &e) {
    out_ += e.name + "(";
    list(e.args);
    out_ += ')';
}

void Printer::show(const Target &e) {
    if (e.address_of) out_ += '&';
    out_ += e.name;
    components(e.components);
}

void Printer::show(const AtVar &e) {
    if (e.address_of) out_ += '&';
    out_ += "@var(" + quote(e.name);
    with_module(e.module);
    out_ += ')';
    components(e.components);
}

void Printer::show(const Entry &e) {
    out_ += "@entry(";
    expr(*e.operand);
    out_ += ')';
}

void Printer::show(const Defined &e) {
    out_ += "@defined(";
    expr(*e.operand);
    out_ += ')';
}

void Printer::show(const ProbeWrite &e) {
    out_ += "@probewrite(" + e.name + ")";
}

void Printer::show(const Const &e) {
    out_ += "@const(" + quote(e.code) + ")";
}

void Printer::show(const Perf &e) {
    out_ += "@perf(" + quote(e.name) + ")";
}

void Printer::show(const Register &e) {
    out_ += e.user ? "@uregister(" : "@kregister(";
    expr(*e.number);
    out_ += ')';
}

void Printer::show(const Deref &e) {
    out_ += e.user ? "@uderef(" : "@kderef(";
    expr(*e.size);
    out_ += ", ";
    expr(*e.address);
    out_ += ')';
}

// No syntax: how dumps show them.
void Printer::show(const SymbolAddress &e) {
    out_ += "&" + (e.module.empty() ? "" : e.module + ":") + e.symbol;
    if (e.offset) out_ += "+" + std::to_string(e.offset);
}

void Printer::show(const ProgramAddress &e) {
    out_ += "&" + e.path + "+" + std::to_string(e.linked);
}

void Printer::show(const HitArgument &e) {
    out_ += "@argument(" + std::to_string(e.number) + ")";
}

void Printer::bare(const Expr &e) {
    visit(e, [this](const auto &node) { show(node); });
}

std::string print(const Expr &expr) {
    Printer printer;
    printer.expr(expr);
    return printer.take();
}

}  // namespace tapir::ast
