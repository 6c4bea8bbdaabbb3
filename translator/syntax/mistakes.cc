// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/mistakes.h"

#include <algorithm>
#include <vector>

#include "base/name_patterns.h"
#include "base/other_languages.h"
#include "common/quoting.h"
#include "grammar.hh"

namespace tapir::syntax {

using T = Grammar::token;

namespace {

class Advisor {
  public:
    explicit Advisor(const Mistake &mistake) : m_(mistake) { walk(); }

    Advice advise() {
        Advice advice;
        advice.help = help();
        if (advice.help.empty() || unclosed_block()) open_bracket(advice);
        return advice;
    }

  private:
    const Token &token(long offset) const {
        static const Token none;
        auto index = static_cast<long>(m_.at) + offset;
        return index < 0 || index >= static_cast<long>(m_.tokens.size()) ? none : m_.tokens[static_cast<size_t>(index)];
    }
    int kind(long offset) const { return token(offset).kind; }
    std::string_view text(long offset) const { return token(offset).ref.text; }
    bool is_word(long offset, std::string_view word) const {
        return kind(offset) == T::IDENTIFIER && text(offset) == word;
    }

    // Finds the brackets that are open at the mistake, and a block that was closed by another one's brace.
    void walk();
    static std::string_view indentation(const Token &token);
    // The keyword before the innermost open parenthesis, 0 if there is none.
    int head() const;
    bool unclosed_block() const;
    void open_bracket(Advice &advice) const;

    std::string help() const;
    std::string of_invalid() const;
    std::string of_item() const;
    std::string of_fraction() const;
    std::string of_point() const;
    std::string of_loop() const;
    std::string of_word() const;
    std::string of_statement() const;
    std::string written() const;

    const Mistake &m_;
    std::vector<const Token *> open_;
    std::vector<size_t> open_at_;
    const Token *suspect_ = nullptr;
};

// The blanks that the token's line begins with.
std::string_view Advisor::indentation(const Token &token) {
    std::string_view line = token.ref.file ? token.ref.file->line(token.ref.line) : std::string_view();
    return line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
}

int closing_of(int kind) {
    return kind == T::LPAREN ? T::RPAREN : kind == T::LBRACKET ? T::RBRACKET : kind == T::LBRACE ? T::RBRACE : 0;
}

void Advisor::walk() {
    for (size_t i = m_.begin; i < m_.at; ++i) {
        const Token &token = m_.tokens[i];
        if (closing_of(token.kind)) {
            open_.push_back(&token);
            open_at_.push_back(i);
            continue;
        }
        if (token.kind != T::RPAREN && token.kind != T::RBRACKET && token.kind != T::RBRACE) continue;
        if (open_.empty() || closing_of(open_.back()->kind) != token.kind) continue;
        bool alone = token.ref.column == indentation(token).size() + 1;
        if (token.kind == T::RBRACE && alone && !suspect_ && open_.back()->ref.line != token.ref.line &&
            indentation(*open_.back()) != indentation(token))
            suspect_ = open_.back();
        open_.pop_back();
        open_at_.pop_back();
    }
}

int Advisor::head() const {
    if (open_.empty() || open_.back()->kind != T::LPAREN || open_at_.back() == 0) return 0;
    return m_.tokens[open_at_.back() - 1].kind;
}

bool Advisor::unclosed_block() const {
    if (open_.empty() || open_.back()->kind != T::LBRACE) return false;
    int seen = kind(0);
    return seen == T::END || seen == T::PROBE || seen == T::FUNCTION;
}

void Advisor::open_bracket(Advice &advice) const {
    if (open_.empty() || kind(0) == T::INVALID) return;
    const Token *opened = open_.back();
    bool block = unclosed_block();
    bool closes =
        (opened->kind == T::LPAREN && m_.expects("')'")) || (opened->kind == T::LBRACKET && m_.expects("']'"));
    if (!block && !closes) return;
    advice.opened = block && suspect_ ? suspect_ : opened;
    std::string bracket = "'" + std::string(advice.opened->ref.text) + "'";
    if (block && suspect_)
        advice.about_opened = "this " + bracket + " may lack its '}': the next '}' stands under another line";
    else
        advice.about_opened = bracket + " was opened here";
}

// The text from the mistake up to a blank or what begins a block.
std::string Advisor::written() const {
    const SourceRef &ref = token(0).ref;
    if (!ref.file || ref.expansion) return std::string(ref.text);
    std::string_view line = ref.file->line(ref.line);
    line.remove_prefix(std::min<size_t>(ref.column - 1, line.size()));
    return std::string(line.substr(0, std::min(line.find_first_of(" \t{,"), line.size())));
}

// ---------------------------------------------------------------- characters

std::string Advisor::of_invalid() const {
    std::string_view seen = text(0);
    const Token &problem = token(0);
    if (problem.problem == Tag::UnexpectedCharacter) {
        if (seen == "'") return "strings stand in double quotes: \"TEXT\"";
        if (seen == "\xe2" || seen == "\xc2") return "strings stand in plain double quotes, as the keyboard types them";
        if (seen == "\\") return "lines need no '\\' at their end";
        if (seen == "`") return "strings stand in double quotes; the output of a command cannot be used here";
        if (seen == "@")
            return "bpftrace's @ without a name is a global with a name here: global x ... x[KEY]++ or x[KEY] <<< "
                   "VALUE";
    }
    if (problem.problem == Tag::UnknownOperator &&
        (kind(1) == T::LBRACKET || kind(1) == T::ASSIGN || kind(1) == T::INCREMENT))
        return "'@' begins operators and macros; bpftrace's " + std::string(seen) + " is a global here: global " +
               std::string(seen.substr(1));
    if (problem.problem == Tag::UnterminatedString) return "a string ends on its line; \\n in it begins a new one";
    if (problem.problem == Tag::UnterminatedComment)
        return "a comment of several lines ends with */; # or // begin one to the end of the line";
    if (problem.problem == Tag::UnterminatedEmbeddedCode) return "embedded C ends with %}, not with } alone";
    if (problem.problem == Tag::ScriptArgumentMissing)
        return "give it behind the script, as in 'stap SCRIPT ARGUMENT', or make it optional: %( $# >= 1 %? $1 %: 0 %)";
    return {};
}

// ---------------------------------------------------------------- items

std::string Advisor::of_item() const {
    std::string word(text(0));
    if (kind(0) == T::RBRACE) return "this '}' closes nothing: a block before it has its end already";
    if (kind(0) == T::PRINT || kind(0) == T::IF || kind(0) == T::FOR || kind(0) == T::FOREACH || kind(0) == T::WHILE)
        return "statements stand in a handler: probe begin { ... }";
    if (kind(0) != T::IDENTIFIER) return {};
    if (is_word(0, "age") && kind(1) == T::NUMBER)
        return "the age of elements has a unit of time: age " + std::string(text(1)) + "s";
    std::string foreign = advice_for_probe(written());
    if (!foreign.empty()) return foreign;
    for (std::string_view known : {"def", "func", "fn", "sub", "fun"})
        if (word == known) return "write function NAME(PARAMETER) { ... }";
    if (is_c_type(word) || word == "var" || word == "let")
        return kind(2) == T::LPAREN ? "write function NAME(PARAMETER) { ... }, without types" : "write global NAME";
    std::vector<std::string> near = similar_names(word, {"probe", "global", "private", "function"}, 1);
    if (!near.empty() && kind(1) != T::DOT) return "write " + near.front();
    if (kind(1) == T::ASSIGN || kind(1) == T::INCREMENT || kind(1) == T::LBRACKET)
        return "statements stand in a handler: probe begin { ... }; a variable of all handlers is declared: global " +
               word;
    if (kind(1) == T::LPAREN && kind(2) == T::RPAREN) return "statements stand in a handler: probe begin { ... }";
    if (kind(1) == T::DOT || kind(1) == T::LBRACE || kind(1) == T::LPAREN)
        return "a probe begins with that word: probe " + written() + " { ... }";
    return {};
}

// timer.s(1.5) is timer.ms(1500).
std::string Advisor::of_fraction() const {
    const std::string plain = "numbers are whole: there are no fractions";
    if (kind(-2) != T::LPAREN || kind(-3) != T::IDENTIFIER || !is_word(-5, "timer")) return plain;
    constexpr std::pair<std::string_view, std::string_view> units[] = {{"s", "ms"},    {"sec", "ms"}, {"ms", "us"},
                                                                       {"msec", "us"}, {"us", "ns"},  {"usec", "ns"}};
    const auto finer = [&](std::string_view unit) {
        for (const auto &[name, next] : units)
            if (name == unit) return std::string(next);
        return std::string();
    };
    std::string number(text(-1)), fraction(text(1)), unit(text(-3));
    constexpr size_t kLongest = 9, kDigits = 3;  // of a number that is still one; a finer unit has three digits more
    if (number.size() > kLongest || fraction.size() > kLongest) return plain;
    while (!fraction.empty()) {
        unit = finer(unit);
        if (unit.empty()) return plain;
        fraction.resize(std::max(fraction.size(), kDigits), '0');
        number += fraction.substr(0, kDigits);
        fraction.erase(0, kDigits);
    }
    number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
    return plain + "; write timer." + unit + "(" + number + ")";
}

std::string Advisor::of_point() const {
    if (kind(0) == T::IDENTIFIER && kind(-1) == T::LPAREN && kind(1) == T::RPAREN)
        return "names stand in quotes: (\"" + std::string(text(0)) + "\")";
    if (kind(0) == T::DOT && kind(-1) == T::NUMBER && kind(1) == T::NUMBER) return of_fraction();
    // Could a probe point end here? In a handler, where blocks begin with '{', too, statements are expected.
    if (!m_.expects("'{'") || !m_.expects("'.'") || m_.expects("'while'")) return {};
    if (kind(0) == T::COLON && kind(-1) == T::IDENTIFIER) {
        const SourceRef &ref = token(-1).ref;
        std::string_view line = ref.file->line(ref.line);
        line.remove_prefix(std::min<size_t>(ref.column - 1, line.size()));
        std::string foreign = advice_for_probe(line.substr(0, std::min(line.find_first_of(" \t{,"), line.size())));
        return foreign.empty() ? "the parts of a probe point are joined with '.'" : foreign;
    }
    if (kind(0) == T::SLASH)
        return "a filter is a condition in the handler: { if (!(CONDITION)) next ... }; of globals only it may be 'if "
               "(CONDITION)' before the '{'";
    if (kind(0) == T::IDENTIFIER || kind(0) == T::PRINT || kind(0) == T::END)
        return "a handler stands in braces: { ... }";
    return {};
}

// ---------------------------------------------------------------- statements

std::string Advisor::of_loop() const {
    if (head() == T::FOR && kind(0) == T::RPAREN) {
        for (size_t i = open_at_.back(); i < m_.at; ++i)
            if (m_.tokens[i].kind == T::IN) return "write foreach (KEY in ARRAY) to walk through an array";
        return "for has three parts: for (START; CONDITION; STEP)";
    }
    if (head() == T::FOR && kind(0) == T::IDENTIFIER && kind(-1) == T::IDENTIFIER &&
        (is_c_type(text(-1)) || text(-1) == "var" || text(-1) == "let" || text(-1) == "auto"))
        return "local variables need no declaration: for (" + std::string(text(0)) + " = ...; CONDITION; STEP)";
    if (head() == T::FOR && kind(0) == T::COMMA)
        return "the parts of for are separated by ';': for (START; CONDITION; STEP)";
    if (head() == T::FOREACH && kind(0) == T::COMMA)
        return "write foreach (VALUE = KEY in ARRAY) for keys with their values, foreach ([KEY1, KEY2] in ARRAY) for "
               "an array of two keys";
    if (kind(-1) == T::IF || kind(-1) == T::WHILE) return "the condition stands in parentheses: (CONDITION)";
    if (kind(-1) == T::FOR) return "write for (START; CONDITION; STEP)";
    if (kind(-1) == T::FOREACH) return "write foreach (KEY in ARRAY)";
    return {};
}

// Words of other languages where an operator or the end was expected.
std::string Advisor::of_word() const {
    constexpr std::pair<std::string_view, std::string_view> operators[] = {
        {"and", "&&"}, {"or", "||"}, {"is", "=="}, {"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"gt", ">"}, {"mod", "%"}};
    for (auto [word, here] : operators)
        if (is_word(0, word)) return "write " + std::string(here);
    if (is_word(-1, "not")) return "write !";
    if (kind(-1) == T::RPAREN && kind(-2) == T::IDENTIFIER && kind(-3) == T::LPAREN && is_c_type(text(-2)))
        return "there are no casts: values are 64-bit numbers or strings; strtol(s, 10) makes a number, sprint(n) a "
               "string";
    if (is_word(-1, "struct") || is_word(-1, "union"))
        return "write @cast(VALUE, \"" + std::string(text(0)) + "\")->MEMBER to read memory as a type of C";
    return {};
}

std::string Advisor::of_statement() const {
    switch (kind(0)) {
        case T::GLOBAL:
        case T::PRIVATE:
            return "globals are declared outside of handlers; local variables need no declaration";
        case T::ELSE:
            return "'else' follows the one statement of its 'if': put several into braces";
        case T::COLON:
            if (is_word(-2, "case") || is_word(-1, "default"))
                return "there is no switch: write if ... else if ... else";
            return {};
        case T::LBRACE:
            if (kind(-1) == T::ASSIGN) return "arrays get their elements in a handler: probe begin { a[0] = ... }";
            return {};
        case T::ASSIGN:
            if (kind(-1) == T::EQUAL) return "write ==";
            if (kind(-1) == T::COLON) return "write =";
            return {};
        case T::LESS:
        case T::GREATER:
            if (kind(-1) == T::ASSIGN) return "write " + std::string(text(0)) + "=";
            return {};
        default:
            break;
    }
    if (kind(-1) == T::MATCH || kind(-1) == T::NOT_MATCH)
        return "a regular expression is a string as it stands: \"^a\"";
    if (kind(-1) == T::PRINT)
        return std::string(text(-1)) + " takes what it prints in parentheses: " + std::string(text(-1)) + "(...)";
    return {};
}

std::string Advisor::help() const {
    if (kind(0) == T::INVALID) return of_invalid();
    if (m_.expects_item()) return of_item();
    std::string help = of_point();
    if (help.empty()) help = of_loop();
    if (help.empty()) help = of_word();
    return help.empty() ? of_statement() : help;
}

}  // namespace

bool Mistake::expects(std::string_view name) const {
    return std::find(expected.begin(), expected.end(), name) != expected.end();
}

Advice advise(const Mistake &mistake) {
    return Advisor(mistake).advise();
}

}  // namespace tapir::syntax
