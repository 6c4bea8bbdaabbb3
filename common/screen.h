// SPDX-License-Identifier: GPL-2.0-or-later
// The output that messages go to. They have two forms: one for people at a terminal, which fits its width, and the one
// that the reference documents and that programs read, with "ERROR:" and "WARNING:".
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "common/colors.h"
#include "common/glyphs.h"

namespace tapir {

struct Screen {
    bool for_people = false;  // which of the two forms
    size_t width = 100;       // columns, of the form for people
    bool utf8 = false;        // whether it shows more than ASCII
    Colors colors;

    std::string_view gap() const { return utf8 ? "…" : "..."; }
};

// Describes `fd`. Call it before the program gives up its rights. $TAPIR_MESSAGES decides on the form, "terminal" or
// "plain"; otherwise terminals get the form for people.
Screen screen_of(int fd, Coloring when);

// Columns of the terminal at `fd`, else $COLUMNS, else 100; 20 to 400.
size_t screen_width(int fd);

// The kind of a message, which its label names.
enum class Voice : unsigned char { Error, Notice, Help };

// "error: text" and its newline, in words that the reference does not have. For people it is wrapped at words, with a
// hanging indent.
std::string said(const Screen &screen, Voice voice, std::string_view text);

// The same in either form: "ERROR: text", "WARNING: text" and "help: text" are the documented one.
std::string told(const Screen &screen, Voice voice, std::string_view text);

// A last line: what came of it all, and at the right where to read on ("man error::pass1"), which may be "".
std::string result_line(const Screen &screen, std::string_view color, std::string_view result,
                        std::string_view reading);

}  // namespace tapir
