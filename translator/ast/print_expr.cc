// SPDX-License-Identifier: GPL-2.0-or-later
#include "ast/print.h"
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

void Printer::print_call(const Print &print) {
    out_ += print.name + "(";
    bool any = print.formatted || print.delimited;
    if (print.formatted) out_ += quote(print.format);
    if (print.delimited) out_ += quote(print.delimiter);
    if (any && !print.args.empty()) out_ += ", ";
    list(print.args);
    out_ += ')';
}

void Printer::cast(const Cast &cast) {
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

void Printer::stat_op(const StatOp &op) {
    out_ += std::string(stat_op_name(op.op)) + "(";
    expr(*op.stat);
    if (op.shift) out_ += ", " + std::to_string(op.shift);
    out_ += ')';
}

void Printer::hist(const Hist &hist) {
    out_ += hist.linear ? "@hist_linear(" : "@hist_log(";
    expr(*hist.stat);
    if (hist.linear)
        out_ += ", " + std::to_string(hist.low) + ", " + std::to_string(hist.high) + ", " + std::to_string(hist.width);
    out_ += ')';
}

void Printer::enumerator(const Enum &node) {
    out_ += (node.wants_name ? "@enumname(" : "@enum(") + quote(node.name);
    if (node.value) {
        out_ += ", ";
        expr(*node.value);
    }
    with_module(node.module);
    out_ += ')';
}

void Printer::bare(const Expr &e) {
    switch (e.kind) {
        case ExprKind::Number:
            out_ += std::to_string(as<Number>(e).value);
            break;
        case ExprKind::String:
            out_ += quote(as<String>(e).value);
            break;
        case ExprKind::EmbeddedC:
            out_ += "%{" + as<EmbeddedCExpr>(e).code + "%}";
            break;
        case ExprKind::VarRef:
            out_ += as<VarRef>(e).name;
            break;
        case ExprKind::Index:
            expr(*as<Index>(e).base);
            out_ += '[';
            list(as<Index>(e).keys);
            out_ += ']';
            break;
        case ExprKind::In:
            out_ += '[';
            list(as<In>(e).keys);
            out_ += "] in ";
            expr(*as<In>(e).array);
            break;
        case ExprKind::Unary:
            out_ += unary_name(as<Unary>(e).op);
            expr(*as<Unary>(e).operand);
            break;
        case ExprKind::IncDec: {
            std::string_view op = as<IncDec>(e).increment ? "++" : "--";
            if (as<IncDec>(e).prefix) out_ += op;
            expr(*as<IncDec>(e).target);
            if (!as<IncDec>(e).prefix) out_ += op;
            break;
        }
        case ExprKind::Binary:
            pair(*as<Binary>(e).left, binary_name(as<Binary>(e).op), *as<Binary>(e).right);
            break;
        case ExprKind::Logical:
            pair(*as<Logical>(e).left, as<Logical>(e).is_and ? "&&" : "||", *as<Logical>(e).right);
            break;
        case ExprKind::Compare:
            pair(*as<Compare>(e).left, compare_name(as<Compare>(e).op), *as<Compare>(e).right);
            break;
        case ExprKind::Regex:
            expr(*as<Regex>(e).left);
            out_ += (as<Regex>(e).negated ? " !~ " : " =~ ") + quote(as<Regex>(e).pattern);
            break;
        case ExprKind::Concat:
            pair(*as<Concat>(e).left, ".", *as<Concat>(e).right);
            break;
        case ExprKind::Ternary:
            pair(*as<Ternary>(e).cond, "?", *as<Ternary>(e).then_expr);
            out_ += " : ";
            expr(*as<Ternary>(e).else_expr);
            break;
        case ExprKind::Assign:
            pair(*as<Assign>(e).target, assign_name(as<Assign>(e).op), *as<Assign>(e).value);
            break;
        case ExprKind::Call:
            out_ += as<Call>(e).name + "(";
            list(as<Call>(e).args);
            out_ += ')';
            break;
        case ExprKind::Print:
            print_call(as<Print>(e));
            break;
        case ExprKind::StatOp:
            stat_op(as<StatOp>(e));
            break;
        case ExprKind::Hist:
            hist(as<Hist>(e));
            break;
        case ExprKind::Target:
            if (as<Target>(e).address_of) out_ += '&';
            out_ += as<Target>(e).name;
            components(as<Target>(e).components);
            break;
        case ExprKind::Cast:
            cast(as<Cast>(e));
            break;
        case ExprKind::AtVar:
            if (as<AtVar>(e).address_of) out_ += '&';
            out_ += "@var(" + quote(as<AtVar>(e).name);
            with_module(as<AtVar>(e).module);
            out_ += ')';
            components(as<AtVar>(e).components);
            break;
        case ExprKind::Entry:
            out_ += "@entry(";
            expr(*as<Entry>(e).operand);
            out_ += ')';
            break;
        case ExprKind::Defined:
            out_ += "@defined(";
            expr(*as<Defined>(e).operand);
            out_ += ')';
            break;
        case ExprKind::ProbeWrite:
            out_ += "@probewrite(" + as<ProbeWrite>(e).name + ")";
            break;
        case ExprKind::Const:
            out_ += "@const(" + quote(as<Const>(e).code) + ")";
            break;
        case ExprKind::Enum:
            enumerator(as<Enum>(e));
            break;
        case ExprKind::Perf:
            out_ += "@perf(" + quote(as<Perf>(e).name) + ")";
            break;
        case ExprKind::Register:
            out_ += as<Register>(e).user ? "@uregister(" : "@kregister(";
            expr(*as<Register>(e).number);
            out_ += ')';
            break;
        case ExprKind::Deref:
            out_ += as<Deref>(e).user ? "@uderef(" : "@kderef(";
            expr(*as<Deref>(e).size);
            out_ += ", ";
            expr(*as<Deref>(e).address);
            out_ += ')';
            break;
        // No syntax: how dumps show them.
        case ExprKind::SymbolAddress: {
            const auto &symbol = as<SymbolAddress>(e);
            out_ += "&" + (symbol.module.empty() ? "" : symbol.module + ":") + symbol.symbol;
            if (symbol.offset) out_ += "+" + std::to_string(symbol.offset);
            break;
        }
        case ExprKind::ProgramAddress:
            out_ += "&" + as<ProgramAddress>(e).path + "+" + std::to_string(as<ProgramAddress>(e).linked);
            break;
        case ExprKind::HitArgument:
            out_ += "@argument(" + std::to_string(as<HitArgument>(e).number) + ")";
            break;
    }
}

std::string print(const Expr &expr) {
    Printer printer;
    printer.expr(expr);
    return printer.take();
}

}  // namespace tapir::ast
