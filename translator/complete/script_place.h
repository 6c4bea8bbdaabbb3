// SPDX-License-Identifier: GPL-2.0-or-later
// Finds what may stand at a place of a script that is being written. It looks at tokens alone: the script need not
// parse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::complete {

enum class Wanted : uint8_t {
    Nothing,    // within strings, comments, numbers, embedded C, and where a new name stands
    Item,       // a declaration: probe, global, function ...
    Code,       // a statement or a value
    Point,      // a component of a probe point
    Target,     // a $variable
    Member,     // what stands behind "->"
    At,         // a macro or an operator that begins with "@"
    Condition,  // a fact of %( %)
    Argument,   // text in quotes, the argument of a component of a probe point
};

struct Place {
    Wanted wanted = Wanted::Nothing;
    size_t begin = 0;                     // offset of the word that is being written
    std::string word = {};                // it, up to the cursor, with its "$" or "@"
    std::string point = {};               // Point, Argument: the point before it, "kernel.function(" or "timer."
    std::string points = {};              // in a handler: the points of its probe, as written
    std::string base = {};                // Member: the expression before "->"
    std::vector<std::string> names = {};  // in a handler or function: names that stand for variables there
};

// The cursor is before the byte at `offset`, which may be text.size().
Place find_place(std::string_view text, size_t offset);

}  // namespace tapir::complete
