// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/spacing.h"

#include <grammar.hh>

#include "syntax/operator_kinds.h"

namespace tapir::formatter {

using T = syntax::Grammar::token;

namespace {

bool is_control(int kind) {
    return kind == T::IF || kind == T::WHILE || kind == T::FOR || kind == T::FOREACH || kind == T::CATCH ||
           kind == T::RETURN || kind == T::DELETE || kind == T::ELSE || kind == T::TRY || kind == T::IN ||
           kind == T::LIMIT || kind == T::PROBE || kind == T::GLOBAL || kind == T::PRIVATE || kind == T::FUNCTION ||
           kind == T::BREAK || kind == T::CONTINUE || kind == T::NEXT;
}

bool is_sort_mark(const Piece &piece, const Piece &after, const Around &around) {
    if (piece.kind != T::PLUS && piece.kind != T::MINUS) return false;
    const int next = after.kind;
    return around.in_foreach && (next == T::COMMA || next == T::RBRACKET || next == T::RPAREN || next == T::IN ||
                                 next == T::LIMIT || next == T::ASSIGN);
}

bool opens(int kind) {
    return kind == T::LPAREN || kind == T::LBRACKET;
}

}  // namespace

bool is_operator(int kind) {
    return kind == T::INCREMENT || kind == T::DECREMENT || kind == T::MATCH || kind == T::NOT_MATCH ||
           syntax::wants_operand(kind);
}

bool ends_operand(const Piece &piece, Role role) {
    switch (piece.kind) {
        case T::IDENTIFIER:
        case T::NUMBER:
        case T::STRING:
        case T::TARGET:
        case T::PRETTY:
        case T::RPAREN:
        case T::RBRACKET:
        case T::EMBEDDED_BLOCK:
        case T::AT_WORD:
        case T::PRINT:
        case T::STRING_TYPE:
        case T::LONG_TYPE:
        case Argument:
        case Verbatim:
            return true;
        default:
            return role == Role::Postfix;
    }
}

Role role_of(const Piece &piece, const Piece *before, Role role_before, const Piece &after, const Around &around) {
    if (!is_operator(piece.kind)) return Role::Plain;
    if (piece.kind == T::NOT || piece.kind == T::TILDE) return Role::Prefix;
    if (is_sort_mark(piece, after, around)) return Role::Postfix;
    if (piece.kind == T::PERCENT && around.head == Head::Global) return Role::Postfix;
    const bool behind = before && ends_operand(*before, role_before);
    if (piece.kind == T::INCREMENT || piece.kind == T::DECREMENT) return behind ? Role::Postfix : Role::Prefix;
    return behind ? Role::Binary : Role::Prefix;
}

bool blank_between(const Piece &before, Role role_before, const Piece &piece, Role role, const Around &around) {
    const bool given = !piece.glued;
    const int left = before.kind, right = piece.kind;
    if (left == Argument || right == Argument || left == Verbatim || right == Verbatim) return given;
    if (right == T::COMMA || right == T::SEMICOLON) return false;
    if (left == T::COMMA && !(around.in_path && !given)) return true;
    if (around.in_path && (left == T::ASSIGN || left == T::ADD_ASSIGN || right == T::ASSIGN || right == T::ADD_ASSIGN))
        return true;
    if (around.as_given || around.in_path) return given;
    if (left == T::SEMICOLON) return true;
    if (opens(left) || right == T::RPAREN || right == T::RBRACKET) return false;
    if (left == T::ARROW || right == T::ARROW) return false;
    if (left == T::LBRACE || right == T::RBRACE) return !(left == T::LBRACE && right == T::RBRACE);
    if (around.head == Head::Function && (left == T::COLON || right == T::COLON)) return false;
    if (around.head == Head::Global && left == T::PERCENT) return right != T::LBRACKET;
    if (role == Role::Postfix) return false;
    if (role_before == Role::Prefix) return is_operator(right) && given;
    if (role_before == Role::Binary || role == Role::Binary) return true;
    if (opens(right)) return role_before != Role::Postfix && (is_control(left) || left == T::RBRACE);
    // "$" behind a name would be a part of it.
    if (right == T::PRETTY) return given;
    return true;
}

}  // namespace tapir::formatter
