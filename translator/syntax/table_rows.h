// SPDX-License-Identifier: GPL-2.0-or-later
// Tables: @table declares the columns, @row prints the values of one line.
#pragma once

#include <memory>
#include <vector>

#include "ast/ast.h"
#include "base/diagnostics.h"
#include "syntax/token.h"

namespace tapir::syntax {

// Adds a table to the file, and reports what is wrong with it.
// Reads "NAME[: [UNIT] [of SUBJECT]]". Parts that are left out are "".
ast::Table::Column read_column(const std::string &text);

void declare_table(ast::File &file, Diagnostics &diagnostics, const Token *keyword, const Token *name,
                   const std::vector<const Token *> &columns);

// Makes a row of a table of the file. After a report it has no format.
std::unique_ptr<ast::Print> make_row(const ast::File &file, Diagnostics &diagnostics, const Token *keyword,
                                     const Token *name, std::vector<ast::ExprPtr> values);

}  // namespace tapir::syntax
