// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/script_place.h"

#include <algorithm>
#include <set>

#include <grammar.hh>
#include "base/source.h"
#include "syntax/scanner.h"

namespace tapir::complete {

using T = syntax::Grammar::token;

namespace {

struct Word {
    int kind = 0;
    std::string_view text;
    size_t begin = 0;
    bool problem = false;
    bool glued = false;
    size_t end() const { return begin + text.size(); }
};

std::vector<Word> words_of(const SourceFile &file) {
    static const std::vector<std::string> none;
    syntax::Scanner scanner(file, none, nullptr);
    const std::string_view text = file.text();
    std::vector<Word> words;
    for (syntax::Token token = scanner.next(); token.kind != T::END; token = scanner.next()) {
        Word word{token.kind, token.ref.text, 0, token.problem.has_value(), token.glued};
        // $# and @# are replaced by a text of another place.
        if (word.text.data() < text.data() || word.text.data() >= text.data() + text.size())
            word.begin = words.empty() ? 0 : words.back().end();
        else
            word.begin = static_cast<size_t>(word.text.data() - text.data());
        words.push_back(word);
    }
    return words;
}

bool is_name(const Word &word) {
    const char c = word.text.empty() ? '\0' : word.text[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '@' || c == '$';
}

// Follows brackets and heads up to the cursor.
class Finder {
  public:
    Finder(std::string_view text, size_t offset)
        : text_(text), offset_(offset), before_("", std::string(text.substr(0, offset)), Origin::UserScript) {}

    Place find() {
        std::vector<Word> words = words_of(before_);
        Place place;
        place.begin = offset_;
        if (!words.empty() && words.back().problem && opens_text(words.back().text)) return in_text(words);
        // In a comment, or behind one that ends with the line.
        const size_t end = words.empty() ? 0 : words.back().end();
        if (in_comment(before_.text().substr(end))) return place;
        if (!words.empty() && words.back().end() == offset_ && words.back().kind == T::NUMBER) return place;
        if (!words.empty() && words.back().end() == offset_ && is_name(words.back())) {
            place.begin = words.back().begin;
            place.word = words.back().text;
            words.pop_back();
        }
        // Alone, "$" and "@" are no words.
        if (place.word.empty() && !words.empty() && words.back().end() == offset_ &&
            (words.back().text == "$" || words.back().text == "@" || words.back().text == "$$")) {
            place.begin = words.back().begin;
            place.word = words.back().text;
            words.pop_back();
        }
        for (size_t i = 0; i < words.size(); i++)
            follow(words, i);
        decide(words, place);
        return place;
    }

  private:
    static bool opens_text(std::string_view text) {
        return text.starts_with("\"") || text.starts_with("/*") || text.starts_with("%{");
    }

    static bool in_comment(std::string_view gap) {
        size_t at = 0;
        while (at < gap.size()) {
            if (gap[at] == '#' || gap.substr(at, 2) == "//") {
                at = gap.find('\n', at);
                if (at == gap.npos) return true;
            } else if (gap.substr(at, 2) == "/*") {
                at = gap.find("*/", at + 2);
                if (at == gap.npos) return true;
                at++;
            }
            at++;
        }
        return false;
    }

    // Within quotes: the argument of a probe point's component, or anything.
    Place in_text(std::vector<Word> &words) {
        Place place;
        const Word open = words.back();
        place.begin = open.begin + 1;
        if (!open.text.starts_with("\"")) return place;
        words.pop_back();
        for (size_t i = 0; i < words.size(); i++)
            follow(words, i);
        if (!in_header_ || parens_ != 1 || condition_ || words.empty() || words.back().kind != T::LPAREN) return place;
        place.wanted = Wanted::Argument;
        place.word = open.text.substr(1);
        place.point = trimmed(text_.substr(point_begin_, words.back().end() - point_begin_));
        return place;
    }

    bool path_brace(const std::vector<Word> &words, size_t i) const {
        if (!in_header_ || i == 0) return false;
        const int last = words[i - 1].kind;
        return path_braces_ > 0 || last == T::PROBE || last == T::DOT || last == T::COMMA || last == T::ASSIGN ||
               last == T::ADD_ASSIGN;
    }

    void begin_item(const Word &word) {
        in_header_ = word.kind == T::PROBE;
        in_function_ = word.kind == T::FUNCTION;
        in_global_ = word.kind == T::GLOBAL || word.kind == T::PRIVATE;
        condition_ = false;
        item_ = word.begin;
        header_ = word.end();
        header_end_ = header_;
        parens_ = path_braces_ = 0;
    }

    void follow(const std::vector<Word> &words, size_t i) {
        const Word &word = words[i];
        const bool name = i > 0 && words[i - 1].kind == T::DOT && in_header_;
        switch (word.kind) {
            case T::PP_OPEN:
                conditions_.push_back(true);
                return;
            case T::PP_THEN:
                if (!conditions_.empty()) conditions_.back() = false;
                return;
            case T::PP_CLOSE:
                if (!conditions_.empty()) conditions_.pop_back();
                return;
            case T::PROBE:
            case T::FUNCTION:
            case T::GLOBAL:
            case T::PRIVATE:
                // A script that is being written may lack brackets: these words at the beginning of a line begin anew.
                if (name || (braces_ > 0 && !begins_line(word))) return;
                braces_ = 0;
                begin_item(word);
                point_begin_ = word.end();
                return;
            case T::LPAREN:
                parens_++;
                return;
            case T::RPAREN:
                parens_ -= parens_ > 0;
                return;
            case T::LBRACE:
                if (path_brace(words, i)) {
                    path_braces_++;
                    return;
                }
                if (in_header_) header_end_ = word.begin;
                is_handler_ =
                    in_header_ || (is_handler_ && braces_ > 0) || (is_handler_ && words[i - 1].kind == T::COMMA);
                in_header_ = in_function_ = in_global_ = false;
                parens_ = 0;
                braces_++;
                return;
            case T::RBRACE:
                if (path_braces_ > 0)
                    path_braces_--;
                else
                    braces_ -= braces_ > 0;
                return;
            case T::EMBEDDED_BLOCK:
                in_function_ = false;
                return;
            case T::IF:
                condition_ |= in_header_ && parens_ == 0 && !name;
                return;
            case T::COMMA:
            case T::ASSIGN:
            case T::ADD_ASSIGN:
                if (!in_header_ || parens_ || path_braces_) return;
                condition_ = false;
                point_begin_ = word.end();
                if (word.kind != T::COMMA) header_ = word.end();
                return;
            default:
                return;
        }
    }

    bool begins_line(const Word &word) const { return word.begin == 0 || text_[word.begin - 1] == '\n'; }

    void decide(const std::vector<Word> &words, Place &place) const {
        const int last = words.empty() ? 0 : words.back().kind;
        if (!conditions_.empty() && conditions_.back()) {
            place.wanted = Wanted::Condition;
            return;
        }
        const bool in_code = braces_ > 0 || (in_header_ && condition_ && parens_ > 0);
        if (braces_ > 0) {
            if (is_handler_) place.points = trimmed(text_.substr(header_, header_end_ - header_));
            place.names = variables();
        }
        if (place.word.starts_with('$')) {
            place.wanted = braces_ > 0 || in_code ? Wanted::Target : Wanted::Nothing;
        } else if (last == T::ARROW) {
            place.wanted = Wanted::Member;
            place.base = base_of(words);
        } else if (place.word.starts_with('@')) {
            place.wanted = Wanted::At;
        } else if (in_code) {
            place.wanted = Wanted::Code;
        } else if (in_header_) {
            if (parens_ > 0 || condition_) return;
            const bool begins = last == T::PROBE || last == T::DOT || last == T::COMMA || last == T::LBRACE ||
                                last == T::ASSIGN || last == T::ADD_ASSIGN;
            if (!begins) return;
            place.wanted = Wanted::Point;
            place.point = without_braces(trimmed(text_.substr(point_begin_, place.begin - point_begin_)));
        } else if (!in_function_ && !in_global_ && parens_ == 0) {
            place.wanted = Wanted::Item;
        } else if (in_global_ && begins_line_at(place.begin) && last != T::COMMA) {
            place.wanted = Wanted::Item;
        }
    }

    bool begins_line_at(size_t at) const { return at == 0 || text_[at - 1] == '\n'; }

    static std::string trimmed(std::string_view text) {
        while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ')
            text.remove_prefix(1);
        while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
            text.remove_suffix(1);
        return std::string(text);
    }

    // "syscall." of "syscall.{open,"
    static std::string without_braces(std::string point) {
        std::string out;
        int depth = 0;
        size_t inner = 0;
        for (size_t i = 0; i < point.size(); i++) {
            if (point[i] == '{') {
                depth++;
                inner = out.size();
            } else if (point[i] == '}') {
                depth--;
            } else if (point[i] == ',' && depth > 0) {
                out.resize(inner);
            } else {
                out += point[i];
            }
        }
        return out;
    }

    // The operand that ends before the last token, "->".
    std::string base_of(const std::vector<Word> &words) const {
        const size_t arrow = words.size() - 1;
        size_t i = arrow;
        while (i > 0) {
            const int kind = words[i - 1].kind;
            if (kind == T::RPAREN || kind == T::RBRACKET) {
                int depth = 0;
                do {
                    i--;
                    depth += words[i].kind == T::RPAREN || words[i].kind == T::RBRACKET;
                    depth -= words[i].kind == T::LPAREN || words[i].kind == T::LBRACKET;
                } while (i > 0 && depth > 0);
                if (words[i].kind == T::LPAREN && i > 0 && is_name(words[i - 1])) i--;
                if (words[i].kind == T::LBRACKET) continue;
            } else if (is_name(words[i - 1])) {
                i--;
            } else {
                break;
            }
            if (i == 0 || words[i - 1].kind != T::ARROW) break;
            i--;
        }
        return trimmed(text_.substr(words[i].begin, words[arrow].begin - words[i].begin));
    }

    // Plain names in the item around the cursor that are not called.
    std::vector<std::string> variables() const {
        const SourceFile whole("", std::string(text_), Origin::UserScript);
        const std::vector<Word> words = words_of(whole);
        std::set<std::string> names;
        for (size_t i = 0; i < words.size(); i++) {
            const Word &word = words[i];
            if (word.begin <= item_ || (word.begin < header_end_ && is_handler_)) continue;
            const bool ends = word.kind == T::PROBE || word.kind == T::FUNCTION || word.kind == T::GLOBAL;
            if (ends && begins_line(word)) break;
            if (word.kind != T::IDENTIFIER || (word.begin <= offset_ && word.end() >= offset_)) continue;
            const int next = i + 1 < words.size() ? words[i + 1].kind : 0;
            if (next == T::LPAREN || words[i - 1].kind == T::ARROW || words[i - 1].kind == T::FUNCTION) continue;
            names.emplace(word.text);
        }
        return {names.begin(), names.end()};
    }

    std::string_view text_;
    size_t offset_;
    SourceFile before_;
    bool in_header_ = false, in_function_ = false, in_global_ = false;
    bool condition_ = false;
    bool is_handler_ = false;
    int braces_ = 0, parens_ = 0, path_braces_ = 0;
    size_t item_ = 0, header_ = 0, header_end_ = 0, point_begin_ = 0;
    std::vector<bool> conditions_;  // of each %( around: the cursor is in its condition
};

}  // namespace

Place find_place(std::string_view text, size_t offset) {
    return Finder(text, std::min(offset, text.size())).find();
}

}  // namespace tapir::complete
