// SPDX-License-Identifier: GPL-2.0-or-later
// Names that stand for literals.
#include "grammar.hh"
#include "syntax/preprocessor.h"

namespace tapir::syntax {

using T = Grammar::token;

std::deque<Token> place_literals(std::deque<Token> tokens, const SourceFile &file, const LiteralValues &literals) {
    if (literals.empty()) return tokens;
    std::deque<Token> out;
    for (Token &token : tokens) {
        const bool is_value = token.kind == T::NUMBER || token.kind == T::STRING;
        const bool is_here = token.ref.file == &file && (is_value || token.kind == T::IDENTIFIER);
        const auto literal = is_here ? literals.find({token.ref.line, token.ref.column}) : literals.end();
        if (literal == literals.end()) {
            out.push_back(std::move(token));
            continue;
        }
        // The sign belongs to the number that is replaced.
        if (token.kind == T::NUMBER && !out.empty() && out.back().kind == T::MINUS) out.pop_back();
        const LiteralValue &value = literal->second;
        if (!value.is_number) {
            token.kind = T::STRING;
            token.value = value.text;
        } else {
            const bool negative = value.number < 0;
            if (negative) {
                out.push_back(token);
                out.back().kind = T::MINUS;
            }
            token.kind = T::NUMBER;
            token.value = value.option;
            token.number = negative ? 0 - static_cast<uint64_t>(value.number) : static_cast<uint64_t>(value.number);
        }
        out.push_back(std::move(token));
    }
    return out;
}

}  // namespace tapir::syntax
