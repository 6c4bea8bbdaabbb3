// SPDX-License-Identifier: GPL-2.0-or-later
// Text to tokens. Blanks and comments vanish; script arguments ($1, @1, $#, @#) are pasted into the text where a token
// begins and scanned again together with what follows.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "syntax/token.h"

namespace tapir::syntax {

class Scanner {
  public:
    // `used`, which may be null, collects the indexes (from 1) of the arguments that the text mentions.
    Scanner(const SourceFile &file, const std::vector<std::string> &args, std::set<size_t> *used);
    ~Scanner();
    Scanner(const Scanner &) = delete;
    Scanner &operator=(const Scanner &) = delete;

    // The next token; END for ever at the end. A token that is wrong in itself has a `problem`; nothing is reported.
    Token next();

  private:
    Token make(int kind);
    // The scanner's current match.
    std::string_view match() const;
    void paste(const std::string &text, bool glued);
    // True when the argument was pasted and scanning goes on there.
    bool substitute(Token &token);

    const SourceFile &file_;
    const std::vector<std::string> &args_;
    std::set<size_t> *used_;
    // The scanned text, with room in front for the longest argument: a paste overwrites text that is consumed already.
    std::vector<char> buffer_;
    const char *text_begin_ = nullptr;  // where the file's first byte is
    const char *text_end_ = nullptr;
    const char *rest_ = nullptr;      // below it, pasted text is being scanned
    SourceRef pasted_for_;            // the argument it stands for
    const char *last_end_ = nullptr;  // end of the last token, to tell glued ones
    bool ended_ = false;              // an unterminated comment or block swallowed the rest
    void *flex_ = nullptr;
};

// The words of the language, those of print functions among them, sorted.
std::vector<std::string> keyword_names();

}  // namespace tapir::syntax
