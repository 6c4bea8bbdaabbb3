// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the names a tapset file defines without parsing it: reads tokens, follows brackets, and looks only at what
// stands at top level. Conditionals are passed through, so brackets may not balance; a declaration keyword at the very
// start of a line therefore counts as top level at any depth.
#include <array>
#include <cctype>

#include "ast/ast.h"
#include "library/tapset_index.h"

namespace tapir::library {

namespace {

constexpr bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_name(char c) {
    return is_name_start(c) || (c >= '0' && c <= '9') || c == '$';
}

// One token: a name, or a single character; strings and embedded C are one token of kind '"' and '%'.
struct Word {
    char kind = 0;  // 'a' name, '@' a name after @, '"' string, '%' embedded C, 0 end, else the character itself
    std::string_view text;
    bool line_start = false;
};

class Reader {
  public:
    explicit Reader(std::string_view text) : text_(text) {}

    Word next() {
        skip_space();
        Word word;
        word.line_start = pos_ == 0 || text_[pos_ - 1] == '\n';
        if (pos_ >= text_.size()) return word;
        size_t start = pos_;
        char c = text_[pos_];
        if (is_name_start(c) || (c == '@' && pos_ + 1 < text_.size() && is_name_start(text_[pos_ + 1]))) {
            word.kind = c == '@' ? '@' : 'a';
            ++pos_;
            while (pos_ < text_.size() && is_name(text_[pos_]))
                ++pos_;
        } else if (c == '"') {
            word.kind = '"';
            skip_string();
        } else if (text_.substr(pos_, 2) == "%{") {
            word.kind = '%';
            skip_past("%}");
        } else {
            word.kind = c;
            ++pos_;
        }
        word.text = text_.substr(start, pos_ - start);
        return word;
    }

  private:
    void skip_past(std::string_view end) {
        size_t at = text_.find(end, pos_ + 2);
        pos_ = at == std::string_view::npos ? text_.size() : at + end.size();
    }

    void skip_string() {
        for (++pos_; pos_ < text_.size() && text_[pos_] != '"'; ++pos_) {
            if (text_[pos_] == '\\') ++pos_;
        }
        pos_ = std::min(pos_ + 1, text_.size());
    }

    void skip_space() {
        while (pos_ < text_.size()) {
            char c = text_[pos_];
            std::string_view two = text_.substr(pos_, 2);
            if (std::isspace(static_cast<unsigned char>(c))) {
                ++pos_;
            } else if (c == '#' || two == "//") {
                pos_ = std::min(text_.find('\n', pos_), text_.size());
            } else if (two == "/*") {
                skip_past("*/");
            } else {
                return;
            }
        }
    }

    std::string_view text_;
    size_t pos_ = 0;
};

class Scanner {
  public:
    explicit Scanner(std::string_view text) : reader_(text) { advance(); }

    Names run() {
        while (word_.kind != 0) {
            if (word_.kind == '@' && word_.text == "@define") {
                advance();
                if (word_.kind == 'a') names_.macros.emplace_back(word_.text);
                advance();
                continue;
            }
            // A tool is a script to run, wherever it stands: its names are its own.
            if (word_.kind == '@' && word_.text == "@tool" && depth_ <= 0) return {};
            // It has a function of its own (ast::Interpreter::frames_of).
            if (word_.kind == '@' && word_.text == "@interpreter") names_.functions.emplace_back(ast::kFramesOf);
            if (word_.kind == 'a' && (depth_ <= 0 || word_.line_start) && declaration()) continue;
            if (word_.kind == '{') ++depth_;
            if (word_.kind == '}') --depth_;
            advance();
        }
        return std::move(names_);
    }

  private:
    void advance() { word_ = reader_.next(); }

    // At a keyword that starts a declaration: reads it as far as its names go.
    bool declaration() {
        std::string_view keyword = word_.text;
        if (keyword == "private") {
            depth_ = 0;
            advance();
            if (word_.kind == 'a' && word_.text != "global" && word_.text != "function") globals();
            return true;
        }
        if (keyword != "function" && keyword != "global" && keyword != "probe") return false;
        depth_ = 0;
        advance();
        if (keyword == "function" && word_.kind == 'a') {
            names_.functions.emplace_back(word_.text);
            advance();
        } else if (keyword == "global") {
            globals();
        } else if (keyword == "probe") {
            alias();
        }
        return true;
    }

    // a, b[10], c% = 1, d = "x"
    void globals() {
        while (word_.kind == 'a') {
            names_.globals.emplace_back(word_.text);
            advance();
            while (word_.kind != 0 && word_.kind != ',' && word_.kind != 'a' && word_.kind != ';') {
                if (word_.kind == '{' || word_.kind == '@') return;
                advance();
            }
            if (word_.kind != ',') return;
            advance();
        }
    }

    // name.name(argument) = name = ... or += ...; anything else is an ordinary probe. Arguments are not part of the
    // name.
    void alias() {
        while (true) {
            std::string name;
            while (word_.kind == 'a' || word_.kind == '.' || (word_.kind == '(' && !name.empty())) {
                if (word_.kind == '(') {
                    while (word_.kind != 0 && word_.kind != ')' && word_.kind != '{')
                        advance();
                    if (word_.kind != ')') return;
                } else {
                    name += word_.text;
                }
                advance();
            }
            if (word_.kind == '+') advance();
            if (word_.kind != '=' || name.empty()) return;
            names_.aliases.push_back(std::move(name));
            advance();
        }
    }

    Reader reader_;
    Word word_;
    Names names_;
    int depth_ = 0;
};

}  // namespace

Names scan(std::string_view text) {
    return Scanner(text).run();
}

}  // namespace tapir::library
