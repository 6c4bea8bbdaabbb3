// SPDX-License-Identifier: GPL-2.0-or-later
// Tables: @table declares the columns, @row prints the values of one line.
#include "syntax/table_rows.h"

#include <algorithm>

#include "base/help.h"
#include "base/name_patterns.h"
#include "common/quoting.h"
#include "grammar.hh"
#include "syntax/parser.h"
#include "syntax/unit_of_subject.h"

namespace tapir::syntax {

using T = Grammar::token;

namespace {

constexpr size_t kMostColumns = 32;  // TAPIR_ITEM_ARGS
constexpr size_t kLongestName = 64, kLongestUnit = 32, kLongestSubject = 128;

std::string name_in(const Token *token) {
    return token->kind == T::STRING ? token->value : std::string(token->ref.text);
}

bool is_printable(std::string_view text) {
    while (!text.empty()) {
        const size_t length = printable_length(text);
        if (!length || text[0] == '\t') return false;
        text.remove_prefix(length);
    }
    return true;
}

// Returns what is wrong with a column, or "".
std::string complaint_about(const ast::Table::Column &column, const std::vector<ast::Table::Column> &before) {
    if (column.name.empty()) return "a column needs a name";
    if (!is_printable(column.text)) return "this text has characters that no line of a table can have";
    if (column.name.size() > kLongestName) return "the name of a column has 64 bytes at most";
    if (column.unit.size() > kLongestUnit) return "the unit of a column has 32 bytes at most";
    if (column.subject.size() > kLongestSubject) return "the subject of a column has 128 bytes at most";
    if (std::string complaint = complaint_about_unit(column.unit, column.name + ": "); !complaint.empty())
        return complaint;
    const bool twice = std::ranges::any_of(before, [&](const auto &other) { return other.name == column.name; });
    return twice ? "the table has a column '" + column.name + "' already" : "";
}

std::string list_of(const std::vector<ast::Table::Column> &columns) {
    std::string names;
    for (const ast::Table::Column &column : columns)
        names += (names.empty() ? "" : ", ") + column.name;
    return names;
}

// The first piece says of what table it is a row: names, units and subjects, each with a NUL behind it.
std::vector<ast::FormatPiece> row_format(const ast::Table &table) {
    std::vector<ast::FormatPiece> pieces(1);
    pieces[0].flag = ast::FormatPiece::Flag::Table;
    pieces[0].literal = table.name + '\0';
    for (const ast::Table::Column &column : table.columns) {
        pieces[0].literal += column.name + '\0' + column.unit + '\0' + column.subject + '\0';
        pieces.emplace_back().conv = column.is_text ? ast::FormatPiece::Conv::String : ast::FormatPiece::Conv::Decimal;
    }
    return pieces;
}

}  // namespace

ast::Table::Column read_column(const std::string &text) {
    ast::Table::Column column;
    column.text = text;
    const size_t colon = text.find(':');
    column.name = trim(std::string_view(text).substr(0, colon));
    if (colon != std::string::npos) {
        Measure measure = measure_of(std::string_view(text).substr(colon + 1));
        column.unit = std::move(measure.unit);
        column.subject = std::move(measure.subject);
    }
    column.is_text = column.unit == "name" || column.unit == "text";
    return column;
}

void declare_table(ast::File &file, Diagnostics &diagnostics, const Token *keyword, const Token *name,
                   const std::vector<const Token *> &columns) {
    auto table = std::make_unique<ast::Table>();
    table->at = keyword->ref;
    table->name = name_in(name);
    if (table->name.empty() || table->name.size() > kLongestName || !is_printable(table->name))
        diagnostics.report(Tag::TableColumn, name->ref, "the name of a table has 1 to 64 bytes, all of them printable");
    for (const auto &other : file.tables)
        if (other->name == table->name)
            diagnostics.report(Tag::TableTwice, name->ref, "there is a table '" + table->name + "' already");
    for (const Token *text : columns) {
        ast::Table::Column column = read_column(text->value);
        if (const std::string complaint = complaint_about(column, table->columns); !complaint.empty())
            add_help(diagnostics.report(Tag::TableColumn, text->ref, complaint),
                     "a column is \"NAME: UNIT of SUBJECT\", as \"p99: ms of a device\"; unit and subject may be "
                     "left out");
        table->columns.push_back(std::move(column));
    }
    if (table->columns.size() > kMostColumns)
        diagnostics.report(Tag::TableColumn, columns[kMostColumns]->ref, "a table has 32 columns at most");
    file.tables.push_back(std::move(table));
}

std::unique_ptr<ast::Print> make_row(const ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                                     const Token *name, std::vector<ast::ExprPtr> values) {
    auto print = std::make_unique<ast::Print>(keyword->ref);
    print->name = keyword->ref.text;
    print->formatted = true;
    print->row_of = name_in(name);
    print->args = std::move(values);
    const auto found = std::ranges::find_if(file.tables, [&](const auto &t) { return t->name == print->row_of; });
    if (found == file.tables.end()) {
        std::vector<std::string> names;
        for (const auto &table : file.tables)
            names.push_back(table->name);
        add_help(diagnostics.report(Tag::TableUnknown, name->ref,
                                    "no table '" + print->row_of + "' is declared above" +
                                        similar_text(similar_names(print->row_of, names))),
                 "@table(" + std::string(name->ref.text) + ", \"NAME: UNIT of SUBJECT\", ...) declares it");
        return print;
    }
    const ast::Table &table = **found;
    const size_t given = print->args.size(), wanted = table.columns.size();
    if (given == wanted)
        print->pieces = row_format(table);
    else
        diagnostics.report(Tag::RowValues, keyword->ref,
                           "the table '" + table.name + "' has " + std::to_string(wanted) +
                               (wanted == 1 ? " column (" : " columns (") + list_of(table.columns) +
                               "), and this row has " + std::to_string(given) + (given == 1 ? " value" : " values"));
    return print;
}

}  // namespace tapir::syntax
