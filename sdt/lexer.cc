// SPDX-License-Identifier: GPL-2.0-or-later
#include "sdt/lexer.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace tapir::sdt {
namespace {

bool is_word_begin(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 128;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

class Lexer {
  public:
    Lexer(Source &source, const Report &report) : source_(source), text_(source.text()), report_(report) {}

    std::optional<std::vector<Token>> run() {
        while (true) {
            const size_t begun = at_;
            if (!skip()) return std::nullopt;
            Token token{Token::Kind::End, {}, at_, at_ != begun};
            if (at_ < text_.size()) {
                if (!take(token)) return std::nullopt;
                token.text = text_.substr(token.at, at_ - token.at);
            }
            tokens_.push_back(token);
            if (token.kind == Token::Kind::End) return std::move(tokens_);
        }
    }

  private:
    char here(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool begins(std::string_view what) const { return text_.substr(at_).starts_with(what); }

    bool wrong(size_t at, std::string_view text) const {
        report_(source_.message(at, "error", text));
        return false;
    }

    // Blanks, comments, and lines for the preprocessor.
    bool skip() {
        while (at_ < text_.size()) {
            if (here() == '\n') {
                line_begins_ = true;
                ++at_;
            } else if (is_blank(here()) || begins("\\\n")) {
                ++at_;
            } else if (begins("//")) {
                skip_line();
            } else if (begins("/*")) {
                const size_t end = text_.find("*/", at_ + 2);
                if (end == std::string_view::npos) return wrong(at_, "this comment has no end");
                at_ = end + 2;
            } else if (here() == '#' && line_begins_) {
                directive();
            } else {
                break;
            }
        }
        return true;
    }

    // To the newline, with lines that are continued.
    void skip_line() {
        while (at_ < text_.size() && here() != '\n')
            at_ += begins("\\\n") ? 2 : begins("\\\r\n") ? 3 : 1;
        at_ = std::min(at_, text_.size());
    }

    void directive() {
        const size_t begun = at_++;
        while (is_blank(here()))
            ++at_;
        const size_t word = at_;
        while (is_word_begin(here()) || is_digit(here()))
            ++at_;
        const std::string_view name = text_.substr(word, at_ - word);
        const bool line = name == "line" || (!name.empty() && is_digit(name[0]));
        if (line)
            line_mark(name == "line" ? at_ : word);
        else if (name != "pragma" && name != "ident" && !name.empty() && here() != '!')
            report_(source_.message(begun, "warning", "this line is ignored",
                                    "-C has the C preprocessor read the file first"));
        skip_line();
    }

    // 12 "file.d"
    void line_mark(size_t at) {
        while (at < text_.size() && is_blank(text_[at]))
            ++at;
        size_t line = 0;
        const auto [end, error] = std::from_chars(text_.data() + at, text_.data() + text_.size(), line);
        if (error != std::errc()) return;
        const size_t newline = std::min(text_.find('\n', at), text_.size());
        std::string_view rest = text_.substr(0, newline).substr(static_cast<size_t>(end - text_.data()));
        const size_t quote = rest.find('"'), last = rest.rfind('"');
        if (quote == std::string_view::npos || last == quote) return;
        source_.continue_as(newline + 1, std::string(rest.substr(quote + 1, last - quote - 1)), line);
    }

    bool take(Token &token) {
        line_begins_ = false;
        const char first = here();
        if (is_word_begin(first) || is_digit(first)) {
            token.kind = is_digit(first) ? Token::Kind::Number : Token::Kind::Word;
            while (is_word_begin(here()) || is_digit(here()))
                ++at_;
        } else if (first == '"' || first == '\'') {
            token.kind = Token::Kind::Text;
            for (++at_; here() != first; ++at_) {
                if (at_ >= text_.size() || here() == '\n') return wrong(token.at, "this string has no end");
                if (here() == '\\') ++at_;
            }
            ++at_;
        } else {
            token.kind = Token::Kind::Sign;
            at_ += begins("...") ? 3 : 1;
        }
        at_ = std::min(at_, text_.size());
        return true;
    }

    Source &source_;
    std::string_view text_;
    const Report &report_;
    std::vector<Token> tokens_;
    size_t at_ = 0;
    bool line_begins_ = true;
};

}  // namespace

std::string Source::place(size_t at) const {
    size_t from = 0, line = 1;
    const std::string *file = &file_;
    for (const LineMark &mark : marks_) {
        if (mark.at > at) break;
        from = mark.at;
        line = mark.line;
        file = &mark.file;
    }
    const auto newlines = std::count(text_.begin() + static_cast<ptrdiff_t>(std::min(from, at)),
                                     text_.begin() + static_cast<ptrdiff_t>(at), '\n');
    return *file + ":" + std::to_string(line + static_cast<size_t>(newlines));
}

std::string Source::message(size_t at, std::string_view kind, std::string_view text, std::string_view help) const {
    const size_t before = at == 0 ? std::string_view::npos : text_.rfind('\n', at - 1);
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line = text_.substr(begin, std::min(text_.find('\n', at), text_.size()) - begin);
    while (!line.empty() && is_blank(line.back()))
        line.remove_suffix(1);
    // Below a tab is a tab, so that the caret is below its letter.
    std::string blanks;
    for (const char c : text_.substr(begin, at - begin))
        if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) blanks += c == '\t' ? '\t' : ' ';
    std::string out = place(at) + ":" + std::to_string(at - begin + 1) + ": " + std::string(kind) + ": " +
                      std::string(text) + "\n" + std::string(line) + "\n" + blanks + "^\n";
    if (!help.empty()) out += "help: " + std::string(help) + "\n";
    return out;
}

std::optional<std::vector<Token>> read_tokens(Source &source, const Report &report) {
    return Lexer(source, report).run();
}

}  // namespace tapir::sdt
