// SPDX-License-Identifier: GPL-2.0-or-later
// Words of a table. Private to syscalls/.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "base/source.h"

namespace tapir::syscalls {

enum class TokenType : uint8_t { Word, Punctuation, Script, EndOfEntry, EndOfFile };

struct Token {
    TokenType type = TokenType::EndOfFile;
    SourceRef at;  // text: of a script, the part between the braces

    bool is(char punctuation) const {
        return type == TokenType::Punctuation && at.text.size() == 1 && at.text[0] == punctuation;
    }
    std::string_view text() const { return at.text; }
};

// An entry starts at the first column of a line and continues in lines that start with a blank. "#" starts a comment,
// "{" a script up to the "}" that closes it.
class Scanner {
  public:
    Scanner(const SourceFile &file, Diagnostics &diagnostics) : file_(file), diagnostics_(diagnostics) { take(); }

    const Token &next() const { return next_; }
    Token take();

  private:
    Token scan();
    Token make(TokenType type, size_t begin, size_t end, TokenKind kind);

    const SourceFile &file_;
    Diagnostics &diagnostics_;
    Token next_;
    size_t at_ = 0, line_start_ = 0;
    uint32_t line_ = 1;
    bool in_entry_ = false;
};

}  // namespace tapir::syscalls
