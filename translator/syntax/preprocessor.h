// SPDX-License-Identifier: GPL-2.0-or-later
// The stage between scanner and grammar: %( %) conditionals and macros, then the small changes of shape that spare the
// grammar from looking around (see shape_tokens).
#pragma once

#include <deque>

#include "base/diagnostics.h"
#include "syntax/parser.h"
#include "syntax/token.h"

namespace tapir::syntax {

// The tokens of a file with conditionals decided and macros expanded, END last. A macro or operator that does not exist
// is left as an INVALID token.
std::deque<Token> preprocess(const SourceFile &file, const ParseOptions &options, Diagnostics &diagnostics);

// Like preprocess, but @define adds to `table`, and any token that is left over is an error.
void preprocess_macro_file(const SourceFile &file, const ParseOptions &options, MacroTable &table,
                           Diagnostics &diagnostics);

// Puts literals in their places, for a name or for another literal with its sign.
std::deque<Token> place_literals(std::deque<Token> tokens, const SourceFile &file, const LiteralValues &literals);

// Joins adjacent string literals; tells embedded C that is a statement from embedded C that is a value by what stands
// before it; makes keywords after "." and "->" plain names; drops ";" between "}" and "else"; and turns brackets nested
// beyond the limit into INVALID tokens.
std::deque<Token> shape_tokens(std::deque<Token> tokens);

}  // namespace tapir::syntax
