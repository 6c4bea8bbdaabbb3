// SPDX-License-Identifier: GPL-2.0-or-later
// Text as a terminal shows it: how many columns each character has, and how words fit into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tapir {

// A character as it is written to a terminal.
struct Glyph {
    std::string text;   // itself, the blanks of a tab, or \xhh for each byte that a terminal may not get
    size_t width = 0;   // columns; 0 for marks that combine with the glyph before
    size_t offset = 0;  // where its bytes begin in the text
};

// The glyphs of one line; tab stops are 8 columns apart, counted from its begin. Characters that are invisible, or
// about whose width terminals disagree (joined emoji, flags), become \xhh, so that what stands below them is in its
// column.
std::vector<Glyph> glyphs(std::string_view line);

// Columns of the glyphs of `line`.
size_t columns(std::string_view line);

// Shortens a name to at most `width` columns: puts `gap` in place of its middle.
std::string shortened(std::string_view name, size_t width, std::string_view gap);

// How to show a word with more columns than a line. Text that people copy is always kept, alone on a line that is
// too long: words with a '/', which are paths, and commands. Quotations that have blanks are commands, 'stap -l X'.
enum class LongWord : unsigned char {
    Shorten,  // cut in its middle
    Keep,
};

// `text` in lines of at most `width` columns, broken between words and not within commands. The first line begins in
// column `begin`, the others in column `hang`; neither indent is part of the result. Newlines in `text` begin lines,
// too. At least one line.
struct Wrapping {
    size_t width;
    size_t begin = 0;
    size_t hang = 0;
    LongWord long_word = LongWord::Shorten;
    std::string_view gap = "...";
};
std::vector<std::string> wrapped(std::string_view text, const Wrapping &how);

}  // namespace tapir
