// SPDX-License-Identifier: GPL-2.0-or-later
#include "types/global_printer.h"

namespace tapir::types {

using ast::ExprPtr;
using ast::StatOpKind;
using ast::Type;
using Piece = ast::FormatPiece;

namespace {

void literal(ast::Print &print, const std::string &text) {
    if (!print.pieces.empty() && print.pieces.back().conv == Piece::Conv::Literal) {
        print.pieces.back().literal += text;
    } else {
        Piece piece;
        piece.literal = text;
        print.pieces.push_back(std::move(piece));
    }
    for (char c : text)
        print.format += c == '%' ? std::string("%%") : std::string(1, c);
}

void convert(ast::Print &print, Type type, ExprPtr value) {
    Piece piece;
    piece.conv = type == Type::String ? Piece::Conv::String : Piece::Conv::Decimal;
    print.pieces.push_back(std::move(piece));
    print.format += type == Type::String ? "%s" : "%d";
    print.args.push_back(std::move(value));
}

void quoted(ast::Print &print, Type type, ExprPtr value) {
    if (type == Type::String) literal(print, "\"");
    convert(print, type, std::move(value));
    if (type == Type::String) literal(print, "\"");
}

// A column of the head of a table: texts with a NUL behind each.
std::string column(const std::string &name, const std::string &unit, const std::string &subject) {
    return name + '\0' + unit + '\0' + subject + '\0';
}

// As the record `metric` has it.
std::string words(const ast::HistShape &shape) {
    using Kind = ast::HistShape::Kind;
    if (shape.kind == Kind::Log) return "log";
    return (shape.kind == Kind::Linear ? "linear " : "loglinear ") + std::to_string(shape.low) + " " +
           std::to_string(shape.high) + " " + std::to_string(shape.width);
}

}  // namespace

std::vector<std::unique_ptr<ast::Variable>> GlobalPrinter::make_locals() {
    std::vector<std::unique_ptr<ast::Variable>> locals;
    for (int i = 0; i < global_.arity; ++i) {
        auto key = std::make_unique<ast::Variable>();
        key->name = key->unique_name = "key" + std::to_string(i + 1);
        key->at = global_.at;
        key->type = global_.key_types[static_cast<size_t>(i)];
        key->type_from = global_.at;
        key->arity = 0;
        key->is_read = key->is_written = true;
        locals_.push_back(key.get());
        locals.push_back(std::move(key));
    }
    return locals;
}

ast::StmtPtr GlobalPrinter::body(int most) {
    return each(global_.type == Type::Stat ? statistic() : value(element()), most);
}

ast::StmtPtr GlobalPrinter::head() const {
    auto print = row("globals", {column("name", "name", ""), column("keys", "", "")});
    print->pieces[1].conv = Piece::Conv::String;
    print->args[0] = std::make_unique<ast::String>(global_.at, global_.name);
    print->args[1] = std::make_unique<ast::Number>(global_.at, global_.arity);
    return statement(std::move(print));
}

ast::StmtPtr GlobalPrinter::metric(const ast::Metric &metric, const ast::HistShape &shape) {
    const bool is_sum = global_.type == Type::Stat;
    if (metric.kind == ast::Metric::Kind::Histogram) return each(histogram(metric, shape), kMetricElements);
    return each(value(is_sum ? stat(StatOpKind::Sum) : element()), kMetricElements);
}

ast::StmtPtr GlobalPrinter::metric_head(const ast::Metric &metric, const ast::HistShape &shape) const {
    std::vector<std::string> columns{column(metric.name, "", metric.help),
                                     column(std::string(metric_kind_name(metric.kind)), "", metric.unit),
                                     column(words(shape), "", "")};
    for (const std::string &label : metric.labels)
        columns.push_back(column(label, "", ""));
    return statement(row("\x01metric", std::move(columns)));
}

ast::StmtPtr GlobalPrinter::metric_end() const {
    return statement(row("\x01metric_end", {column(global_.name, "", "")}));
}

ast::StmtPtr GlobalPrinter::reset() const {
    if (!global_.init) return std::make_unique<ast::Delete>(global_.at, name(global_));
    ExprPtr first;
    if (global_.init->kind == ast::ExprKind::Number)
        first = std::make_unique<ast::Number>(global_.at, static_cast<const ast::Number &>(*global_.init).value);
    else
        first = std::make_unique<ast::String>(global_.at, static_cast<const ast::String &>(*global_.init).value);
    return set(std::move(first));
}

ast::StmtPtr GlobalPrinter::set(ExprPtr value) const {
    return std::make_unique<ast::ExprStmt>(
        global_.at, std::make_unique<ast::Assign>(global_.at, ast::AssignOp::Set, name(global_), std::move(value)));
}

std::unique_ptr<ast::VarRef> GlobalPrinter::name(ast::Variable &variable) const {
    auto ref = std::make_unique<ast::VarRef>(global_.at, variable.name);
    ref->variable = &variable;
    ref->type = variable.type;
    return ref;
}

// The global, or its element with the loop's keys.
ExprPtr GlobalPrinter::element() const {
    if (global_.arity == 0) return name(global_);
    std::vector<ExprPtr> keys;
    for (ast::Variable *key : locals_)
        keys.push_back(name(*key));
    return std::make_unique<ast::Index>(global_.at, name(global_), std::move(keys));
}

// Makes a loop over the elements of an array, the largest first: all, or so many.
ast::StmtPtr GlobalPrinter::each(ast::StmtPtr output, int most) const {
    if (global_.arity == 0) return output;
    auto loop = std::make_unique<ast::Foreach>(global_.at);
    for (ast::Variable *key : locals_)
        loop->keys.push_back(name(*key));
    loop->array = name(global_);
    loop->sort = ast::Foreach::Sort::Descending;
    if (most) loop->limit = std::make_unique<ast::Number>(global_.at, most);
    loop->body = std::move(output);
    return loop;
}

ExprPtr GlobalPrinter::stat(StatOpKind op) const {
    return std::make_unique<ast::StatOp>(global_.at, op, element());
}

// @row() of a table with these columns, all of which are the number 0.
std::unique_ptr<ast::Print> GlobalPrinter::row(const std::string &table, std::vector<std::string> columns) const {
    auto print = std::make_unique<ast::Print>(global_.at);
    print->name = "@row";
    print->row_of = table;
    print->formatted = true;
    print->pieces.resize(1);
    print->pieces[0].flag = Piece::Flag::Table;
    print->pieces[0].literal = table + '\0';
    for (const std::string &text : columns) {
        print->pieces[0].literal += text;
        print->pieces.emplace_back().conv = Piece::Conv::Decimal;
        print->args.push_back(std::make_unique<ast::Number>(global_.at, 0));
    }
    return print;
}

// The beginning of a line: NAME[KEYS]
std::unique_ptr<ast::Print> GlobalPrinter::line() const {
    auto print = std::make_unique<ast::Print>(global_.at);
    print->formatted = true;
    print->name = "printf";
    literal(*print, global_.name);
    print->pieces.back().flag = Piece::Flag::Row;
    for (size_t i = 0; i < locals_.size(); ++i) {
        literal(*print, i == 0 ? "[" : ",");
        quoted(*print, locals_[i]->type, name(*locals_[i]));
    }
    if (!locals_.empty()) literal(*print, "]");
    return print;
}

ast::StmtPtr GlobalPrinter::statement(std::unique_ptr<ast::Print> print) const {
    return std::make_unique<ast::ExprStmt>(global_.at, std::move(print));
}

// name=1, name="text"
ast::StmtPtr GlobalPrinter::value(ExprPtr of) const {
    auto print = line();
    literal(*print, "=");
    quoted(*print, global_.type == Type::String ? Type::String : Type::Long, std::move(of));
    literal(*print, "\n");
    return statement(std::move(print));
}

// name @count=1 @min=1 ..., or name @count=0 when there is nothing to report.
ast::StmtPtr GlobalPrinter::statistic() const {
    constexpr std::pair<StatOpKind, const char *> kFields[] = {{StatOpKind::Count, " @count="},
                                                               {StatOpKind::Min, " @min="},
                                                               {StatOpKind::Max, " @max="},
                                                               {StatOpKind::Sum, " @sum="},
                                                               {StatOpKind::Avg, " @avg="}};
    auto full = line();
    for (const auto &[op, label] : kFields) {
        literal(*full, label);
        convert(*full, Type::Long, stat(op));
    }
    literal(*full, "\n");
    auto empty = line();
    if (!locals_.empty()) empty->pieces.front().flag = Piece::Flag::None;  // elements have samples
    literal(*empty, " @count=0\n");
    auto choice = std::make_unique<ast::If>(global_.at);
    choice->cond = stat(StatOpKind::Count);
    choice->then_stmt = statement(std::move(full));
    choice->else_stmt = statement(std::move(empty));
    return choice;
}

// if (@count(s)) print(@hist_log(s, "UNIT of a sample"))
ast::StmtPtr GlobalPrinter::histogram(const ast::Metric &metric, const ast::HistShape &shape) const {
    auto hist = std::make_unique<ast::Hist>(global_.at, shape, element());
    hist->unit = metric.unit;
    hist->subject = "a sample";
    hist->unit_at = global_.at;
    auto print = std::make_unique<ast::Print>(global_.at);
    print->name = "print";
    print->args.push_back(std::move(hist));
    auto choice = std::make_unique<ast::If>(global_.at);
    choice->cond = stat(StatOpKind::Count);
    choice->then_stmt = statement(std::move(print));
    return choice;
}

}  // namespace tapir::types
