// SPDX-License-Identifier: GPL-2.0-or-later
// The tokens of a text that may be unfinished.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tapir::interactive {

struct Lexeme {
    std::string_view text;  // of the scanned text
    size_t begin = 0;       // in bytes
    int depth = 0;          // of brackets around it; an opening one is outside, a closing one, too
};

// How the brackets, comments and texts of a script stand at its end.
enum class Closing : unsigned char { Closed, Open, TooMany };

std::vector<Lexeme> lexemes_of(std::string_view text);
Closing closing_of(std::string_view text);

}  // namespace tapir::interactive
