// SPDX-License-Identifier: GPL-2.0-or-later
// A line while it is rewritten: each of its bytes knows which byte of the file it comes from.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace tapir::sxx {

// Character classes of the ASCII text, in any locale.
bool is_word(char c);
bool is_blank(char c);

// Reads a construct from left to right. A member that does not find what it looks for stays where it is.
class Reader {
  public:
    Reader(std::string_view text, size_t at) : text_(text), at_(at) {}

    size_t at() const { return at_; }
    bool take(std::string_view expected);
    // Letters, digits and '_'; "" if there are none.
    std::string_view word();
    void blanks();
    // The text before the next `end`, which is taken, too; nothing if this piece of the line has none.
    std::optional<std::string_view> up_to(char end);
    bool is_digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
    void skip() { ++at_; }

  private:
    std::string_view text_;
    size_t at_;
};

class Line {
  public:
    // The bytes of a file that begin at `from`.
    Line(std::string_view text, size_t from);

    struct Replacement {
        size_t end;        // behind what is replaced
        std::string text;  // instead
    };
    // Tries each byte, from left to right, as the begin of a construct; what replaces one is not looked at again.
    // `match` is called with the text, the byte and what the byte comes from.
    using Match = std::function<std::optional<Replacement>(std::string_view text, size_t at, size_t from)>;
    void replace_each(char first, const Match &match);
    void replace_all(std::string text);

    const std::string &text() const { return text_; }
    // Adds the line to a text, and where its bytes come from to the text's runs.
    void append_to(std::string &text, std::vector<SourceRun> &runs) const;

  private:
    struct Byte {
        size_t from;
        bool copied;  // as the file has it
    };
    std::string text_;
    std::vector<Byte> bytes_;
};

}  // namespace tapir::sxx
