// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens of a file of declarations, with the places that messages show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sdt/provider.h"

namespace tapir::sdt {

struct Token {
    enum class Kind : uint8_t { Word, Number, Text, Sign, End };

    Kind kind = Kind::End;
    std::string_view text = {};
    size_t at = 0;        // in the file
    bool spaced = false;  // something that is no token is before it

    bool is(std::string_view other) const { return (kind == Kind::Word || kind == Kind::Sign) && text == other; }
};

// The file's text, which has to outlive it.
class Source {
  public:
    Source(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    std::string_view text() const { return text_; }
    // From the line that begins at `at` on, lines are those of `file` from `line` on.
    void continue_as(size_t at, std::string file, size_t line) { marks_.push_back({at, std::move(file), line}); }
    // "FILE:LINE"
    std::string place(size_t at) const;
    // "FILE:LINE:COLUMN: KIND: TEXT" with the line and a caret below it, and `help`, if any; ends with a newline.
    std::string message(size_t at, std::string_view kind, std::string_view text, std::string_view help = {}) const;

  private:
    struct LineMark {
        size_t at;
        std::string file;
        size_t line;
    };

    std::string_view text_;
    std::string file_;
    std::vector<LineMark> marks_;
};

// Ends with a token End. Nothing after an error, which has been reported: a comment or string without its end.
std::optional<std::vector<Token>> read_tokens(Source &source, const Report &report);

}  // namespace tapir::sdt
