// SPDX-License-Identifier: GPL-2.0-or-later
#include <vector>

#include "grammar.hh"
#include "syntax/builder.h"
#include "syntax/operator_kinds.h"
#include "syntax/preprocessor.h"

namespace tapir::syntax {

using T = Grammar::token;

namespace {

// True when an operand must follow `kind`, so that embedded C after it is a value.
bool wants_value(int kind) {
    return kind == T::RETURN || kind == T::LIMIT || kind == T::COMMA || kind == T::LPAREN || kind == T::LBRACKET ||
           wants_operand(kind);
}

class Shaper {
  public:
    void add(Token token);
    std::deque<Token> take() { return std::move(out_); }

  private:
    void nest(Token &token);
    void drop_separators_before_else();

    std::deque<Token> out_;
    std::vector<int> open_;  // brackets
};

void Shaper::nest(Token &token) {
    switch (token.kind) {
        case T::LPAREN:
        case T::LBRACKET:
        case T::LBRACE:
            open_.push_back(token.kind);
            if (open_.size() <= max_depth) return;
            token.kind = T::INVALID;
            token.problem = Tag::NestingLimit;
            token.value = "nested too deeply (limit " + std::to_string(max_depth) + ")";
            return;
        case T::RPAREN:
        case T::RBRACKET:
        case T::RBRACE:
            if (!open_.empty()) open_.pop_back();
            return;
        case T::PROBE:
        case T::FUNCTION:
            open_.clear();  // where parsing goes on after an error
            return;
        default:
            return;
    }
}

void Shaper::drop_separators_before_else() {
    size_t keep = out_.size();
    while (keep > 0 && out_[keep - 1].kind == T::SEMICOLON)
        keep--;
    if (keep == out_.size()) return;
    if (keep == 0 || out_[keep - 1].kind != T::RBRACE) keep++;
    out_.resize(keep);
}

void Shaper::add(Token token) {
    int before = out_.empty() ? static_cast<int>(T::END) : out_.back().kind;
    if (token.ref.kind == TokenKind::Keyword && (before == T::DOT || before == T::ARROW)) token.kind = T::KEYWORD_NAME;
    if (token.kind == T::STRING && before == T::STRING) {
        out_.back().value += token.value;
        return;
    }
    if (token.kind == T::ELSE) drop_separators_before_else();
    bool in_for = before == T::SEMICOLON && !open_.empty() && open_.back() == T::LPAREN;
    if (token.kind == T::EMBEDDED_BLOCK && (in_for || wants_value(before))) token.kind = T::EMBEDDED_VALUE;
    // "age 60s" is no expression: a number ends with its digits there.
    if (token.kind == T::NUMBER && token.problem && before == T::IDENTIFIER && out_.back().ref.text == "age") {
        out_.back().kind = T::AGE;
        token.kind = T::DURATION;
    }
    nest(token);
    out_.push_back(std::move(token));
}

}  // namespace

std::deque<Token> shape_tokens(std::deque<Token> tokens) {
    Shaper shaper;
    for (Token &token : tokens)
        shaper.add(std::move(token));
    return shaper.take();
}

}  // namespace tapir::syntax
