// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/table_words.h"

#include <algorithm>
#include <cctype>

namespace tapir::syscalls {

namespace {

bool in_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '?' || c == '-' || c == '.';
}

}  // namespace

Token Scanner::take() {
    Token token = next_;
    next_ = scan();
    return token;
}

Token Scanner::make(TokenType type, size_t begin, size_t end, TokenKind kind) {
    Token token;
    token.type = type;
    token.at.file = &file_;
    token.at.line = line_;
    token.at.column = static_cast<uint32_t>(begin - line_start_ + 1);
    token.at.kind = kind;
    token.at.text = file_.text().substr(begin, end - begin);
    return token;
}

Token Scanner::scan() {
    const std::string_view text = file_.text();
    while (at_ < text.size()) {
        const char c = text[at_];
        if (c == '\n') {
            line_start_ = ++at_;
            ++line_;
        } else if (c == '#') {
            at_ = std::min(text.find('\n', at_), text.size());
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++at_;
        } else {
            break;
        }
    }
    const bool at_end = at_ >= text.size();
    if (in_entry_ && (at_end || at_ == line_start_)) {
        in_entry_ = false;
        return make(TokenType::EndOfEntry, at_, at_, TokenKind::EndOfFile);
    }
    if (at_end) return make(TokenType::EndOfFile, at_, at_, TokenKind::EndOfFile);
    in_entry_ = true;
    const size_t begin = at_;
    if (in_word(text[begin])) {
        while (at_ < text.size() && in_word(text[at_]))
            ++at_;
        return make(TokenType::Word, begin, at_, TokenKind::Identifier);
    }
    if (text[begin] != '{') return make(TokenType::Punctuation, begin, ++at_, TokenKind::Operator);
    int depth = 0;
    for (; at_ < text.size() && text[at_] != '\n'; ++at_) {
        depth += text[at_] == '{' ? 1 : text[at_] == '}' ? -1 : 0;
        if (depth == 0) {
            ++at_;
            return make(TokenType::Script, begin + 1, at_ - 1, TokenKind::EmbeddedCode);
        }
    }
    diagnostics_.report(Tag::SyntaxError, make(TokenType::Script, begin, begin + 1, TokenKind::Operator).at,
                        "'{' is not closed in its line");
    return make(TokenType::Script, begin + 1, at_, TokenKind::EmbeddedCode);
}

}  // namespace tapir::syscalls
