// SPDX-License-Identifier: GPL-2.0-or-later
// A script as the formatter sees it: tokens and comments, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace tapir::formatter {

// Kinds of pieces that are no tokens of the grammar.
enum Special : int { LineComment = -1, BlockComment = -2, Verbatim = -3, Argument = -4 };

struct Piece {
    int kind = 0;  // Grammar::token_kind_type or Special
    std::string_view text;
    size_t begin = 0;       // offset in the file
    uint32_t newlines = 0;  // between the piece before it and this one
    bool glued = false;     // nothing is between them
    int net = 0;            // of Verbatim: braces that its first branch leaves open, or closes (negative)
    size_t partner = 0;     // of an opening bracket: the index of the closing one; 0: none

    size_t end() const { return begin + text.size(); }
    bool is_comment() const { return kind == LineComment || kind == BlockComment; }
    bool has_lines() const { return text.find('\n') != text.npos; }
};

// The pieces of a file, an END token last. Everything from "%(" to its "%)" is one Verbatim piece. Tokens that are
// wrong in themselves are reported.
std::vector<Piece> split_pieces(const SourceFile &file, Diagnostics &diagnostics);

// How the text of `at` stands in its line: the blanks before it, if nothing else is.
std::string_view blanks_before(std::string_view text, size_t at);

// The width of a text that begins a line, with tabs of eight columns.
size_t width_of(std::string_view text);

}  // namespace tapir::formatter
