// SPDX-License-Identifier: GPL-2.0-or-later
// Statements, probe points and top-level items.
#include "ast/print.h"

#include "base/time_units.h"
#include "common/quoting.h"

namespace tapir::ast {

namespace {

constexpr int indent_width = 4;

template <class Node>
const Node &as(const Stmt &stmt) {
    return static_cast<const Node &>(stmt);
}

// True when an "else" written after the statement would be taken by an "if" inside it.
bool takes_else(const Stmt &stmt) {
    switch (stmt.kind) {
        case StmtKind::If:
            return !as<If>(stmt).else_stmt || takes_else(*as<If>(stmt).else_stmt);
        case StmtKind::For:
            return takes_else(*as<For>(stmt).body);
        case StmtKind::While:
            return takes_else(*as<While>(stmt).body);
        case StmtKind::Foreach:
            return takes_else(*as<Foreach>(stmt).body);
        default:
            return false;
    }
}

}  // namespace

// ---------------------------------------------------------------- statements

void Printer::line(int indent) {
    out_.append(static_cast<size_t>(indent * indent_width), ' ');
}

// The body of an if or loop: a block on the same line, anything else on its own.
void Printer::nested(const Stmt &body, int indent) {
    if (body.kind == StmtKind::Block) {
        out_ += ' ';
        block(as<Block>(body), indent);
        out_ += '\n';
    } else {
        out_ += '\n';
        stmt(body, indent + 1);
    }
}

void Printer::block(const Block &block, int indent) {
    out_ += "{\n";
    for (const StmtPtr &inner : block.body)
        stmt(*inner, indent + 1);
    line(indent);
    out_ += '}';
}

void Printer::if_stmt(const If &s, int indent) {
    if (as_written_ && !s.written.empty()) {
        const auto &fired = as<Block>(*s.then_stmt).body;
        out_ += s.written;
        if (fired.size() > 2 && fired[2]->kind == StmtKind::Block)
            nested(*fired[2], indent);
        else
            out_ += '\n';
        return;
    }
    out_ += "if (";
    bare(*s.cond);
    out_ += ')';
    bool brace = s.else_stmt && takes_else(*s.then_stmt);
    if (brace) {
        out_ += " {\n";
        stmt(*s.then_stmt, indent + 1);
        line(indent);
        out_ += "}\n";
    } else {
        nested(*s.then_stmt, indent);
    }
    if (!s.else_stmt) return;
    line(indent);
    out_ += "else";
    nested(*s.else_stmt, indent);
}

void Printer::foreach_stmt(const Foreach &s, int indent) {
    auto mark = [&](int column) {
        if (s.sort == Foreach::Sort::None || s.sort_column != column) return;
        if (column == 0 && s.sort_stat) out_ += " " + std::string(stat_op_name(*s.sort_stat));
        out_ += s.sort == Foreach::Sort::Ascending ? '+' : '-';
    };
    out_ += "foreach (";
    if (s.value) out_ += s.value->name + " = ";
    out_ += '[';
    for (size_t i = 0; i < s.keys.size(); i++) {
        out_ += (i ? ", " : "") + s.keys[i]->name;
        mark(static_cast<int>(i) + 1);
    }
    out_ += "] in ";
    expr(*s.array);
    if (!s.slice.empty()) {
        out_ += '[';
        list(s.slice);
        out_ += ']';
    }
    mark(0);
    if (s.limit) {
        out_ += " limit ";
        expr(*s.limit);
    }
    out_ += ')';
    nested(*s.body, indent);
}

void Printer::stmt(const Stmt &s, int indent) {
    line(indent);
    switch (s.kind) {
        case StmtKind::Null:
            out_ += ";\n";
            break;
        case StmtKind::Block:
            block(as<Block>(s), indent);
            out_ += '\n';
            break;
        case StmtKind::Expr:
            expr(*as<ExprStmt>(s).expr);
            out_ += ";\n";
            break;
        case StmtKind::EmbeddedC:
            out_ += "%{" + as<EmbeddedCStmt>(s).code + "%}\n";
            break;
        case StmtKind::If:
            if_stmt(as<If>(s), indent);
            break;
        case StmtKind::For: {
            const For &loop = as<For>(s);
            out_ += "for (";
            if (loop.init) bare(*loop.init);
            out_ += "; ";
            if (loop.cond) bare(*loop.cond);
            out_ += "; ";
            if (loop.step) bare(*loop.step);
            out_ += ')';
            nested(*loop.body, indent);
            break;
        }
        case StmtKind::While:
            out_ += "while (";
            bare(*as<While>(s).cond);
            out_ += ')';
            nested(*as<While>(s).body, indent);
            break;
        case StmtKind::Foreach:
            foreach_stmt(as<Foreach>(s), indent);
            break;
        case StmtKind::Return:
            out_ += "return";
            if (as<Return>(s).value) {
                out_ += ' ';
                expr(*as<Return>(s).value);
            }
            out_ += ";\n";
            break;
        case StmtKind::Delete:
            out_ += "delete ";
            expr(*as<Delete>(s).target);
            out_ += ";\n";
            break;
        case StmtKind::Next:
            out_ += "next;\n";
            break;
        case StmtKind::Break:
            out_ += "break;\n";
            break;
        case StmtKind::Continue:
            out_ += "continue;\n";
            break;
        case StmtKind::Try:
            out_ += "try";
            nested(*as<Try>(s).body, indent);
            line(indent);
            out_ += "catch";
            if (as<Try>(s).error) out_ += " (" + as<Try>(s).error->name + ")";
            nested(*as<Try>(s).handler, indent);
            break;
    }
}

// ---------------------------------------------------------------- top-level items

// A number that is known when the session starts is shown by its name.
static std::string argument_text(const Expr &arg) {
    if (arg.kind != ExprKind::Number) return print(arg);
    const auto &number = static_cast<const Number &>(arg);
    return number.option.empty() ? std::to_string(number.value) : number.option;
}

std::string ProbePoint::str() const {
    std::string out;
    for (const PointComponent &component : components) {
        if (!out.empty()) out += '.';
        out += component.name;
        if (component.arg) out += "(" + argument_text(*component.arg) + ")";
    }
    if (optional) out += '?';
    if (sufficient) out += '!';
    return out;
}

void Printer::points(const ProbePoints &points) {
    bool first = true;
    for (const ProbePoint &point : points) {
        if (!first) out_ += ", ";
        first = false;
        out_ += point.str();
        if (!point.condition) continue;
        out_ += " if (";
        bare(*point.condition);
        out_ += ')';
    }
}

void Printer::global(const Variable &variable) {
    out_ += (variable.is_private ? "private global " : "global ") + variable.name;
    if (variable.wrap) out_ += '%';
    if (variable.max_entries) out_ += "[" + std::to_string(*variable.max_entries) + "]";
    if (variable.age) out_ += " age " + time_text(variable.age);
    if (variable.init) {
        out_ += " = ";
        bare(*variable.init);
    }
    out_ += '\n';
}

void Printer::function(const Function &function) {
    auto type = [](Type t) { return t == Type::Unknown ? std::string() : ":" + std::string(type_name(t)); };
    out_ += (function.is_private ? "private function " : "function ") + function.name + type(function.declared) + " (";
    bool first = true;
    for (const Param &param : function.params) {
        out_ += (first ? "" : ", ") + param.name + type(param.declared);
        first = false;
    }
    out_ += ')';
    if (function.priority) out_ += ":" + std::to_string(*function.priority);
    if (function.embedded_c)
        out_ += " %{" + *function.embedded_c + "%}\n";
    else
        nested(*function.body, 0);
}

void Printer::alias(const Alias &alias) {
    out_ += "probe ";
    for (const ProbePoint &name : alias.names)
        out_ += name.str() + (alias.epilogue ? " += " : " = ");
    points(alias.points);
    nested(*alias.body, 0);
    if (!alias.epilogue_body) return;
    out_ += ',';
    nested(*alias.epilogue_body, 0);
}

static std::string code_and_tables(const File &file) {
    std::string out;
    for (const auto &code : file.embedded)
        out += "%{" + code->code + "%}\n";
    for (const auto &table : file.tables) {
        out += "@table(" + quote(table->name);
        for (const Table::Column &column : table->columns)
            out += ", " + quote(column.text);
        out += ")\n";
    }
    for (const Metric &metric : file.metrics) {
        out += "@metric(" + metric.name + ", " + std::string(metric_kind_name(metric.kind)) + ", " +
               quote(metric.help) + ", " + quote(metric.unit);
        for (const std::string &label : metric.labels)
            out += ", " + quote(label);
        out += ")\n";
    }
    return out;
}

std::string_view metric_kind_name(Metric::Kind kind) {
    constexpr std::string_view kNames[] = {"counter", "gauge", "histogram"};
    return kNames[static_cast<size_t>(kind)];
}

void Printer::file(const File &file) {
    as_written_ = true;
    out_ += code_and_tables(file);
    for (const auto &one : file.interpreters) {
        std::string variables;
        for (const std::string &variable : one->variables)
            variables += (variables.empty() ? "" : " ") + variable;
        out_ += "@interpreter(";
        for (const std::string &text : {one->name, one->known, one->files, one->loop, variables})
            out_ += quote(text) + ", ";
        out_ += one->frames + ")\n";
    }
    for (const auto &variable : file.globals)
        global(*variable);
    for (const auto &function_ptr : file.functions)
        function(*function_ptr);
    for (const auto &alias_ptr : file.aliases)
        alias(*alias_ptr);
    for (const auto &probe : file.probes) {
        out_ += "probe ";
        points(probe->points);
        nested(*probe->body, 0);
    }
}

std::string print(const Stmt &stmt, int indent) {
    Printer printer;
    printer.stmt(stmt, indent);
    return printer.take();
}

std::string print(const File &file) {
    Printer printer;
    printer.file(file);
    return printer.take();
}

}  // namespace tapir::ast
