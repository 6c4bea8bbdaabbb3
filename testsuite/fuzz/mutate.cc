// SPDX-License-Identifier: GPL-2.0-or-later
#include "fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <random>

namespace tapir::fuzz {
namespace {

bool word_start(char c) {
    return c == '_' || c == '$' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool digit(char c) {
    return c >= '0' && c <= '9';
}
bool word(char c) {
    return word_start(c) || digit(c);
}

// Length of the comment or white space that `text` begins with.
size_t blank(std::string_view text) {
    if (text[0] == ' ' || text[0] == '\t' || text[0] == '\n' || text[0] == '\r') return 1;
    if (text[0] == '#' || text.starts_with("//")) return std::min(text.find('\n'), text.size());
    if (!text.starts_with("/*")) return 0;
    size_t end = text.find("*/", 2);
    return end == text.npos ? text.size() : end + 2;
}

size_t quoted(std::string_view text) {
    size_t n = 1;
    while (n < text.size() && text[n] != '"' && text[n] != '\n')
        n += text[n] == '\\' ? 2 : 1;
    return std::min(n + 1, text.size());
}

size_t token(std::string_view text) {
    if (text.starts_with("%{")) {
        size_t end = text.find("%}");
        return end == text.npos ? text.size() : end + 2;
    }
    if (text[0] == '"') return quoted(text);
    if (text.starts_with("$#") || text.starts_with("@#")) return 2;
    if (word(text[0]) || (text[0] == '@' && text.size() > 1 && word(text[1]))) {
        size_t n = 1;
        while (n < text.size() && word(text[n]))
            n++;
        return n;
    }
    constexpr std::string_view operators[] = {">>>=", "<<<", ">>>", "<<=", ">>=", "%(", "%)", "%?", "%:", "->", "++",
                                              "--",   "<<",  ">>",  "<=",  ">=",  "==", "!=", "=~", "!~", "&&", "||",
                                              "+=",   "-=",  "*=",  "/=",  "%=",  ".=", "&=", "|=", "^=", "**"};
    for (std::string_view op : operators)
        if (text.starts_with(op)) return op.size();
    return 1;
}

enum class Class { Number, String, Word, Open, Close, Other };

Class class_of(const std::string &t) {
    if (digit(t[0])) return Class::Number;
    if (t[0] == '"') return Class::String;
    if (word_start(t[0]) || t[0] == '@') return Class::Word;
    if (t == "(" || t == "{" || t == "[") return Class::Open;
    if (t == ")" || t == "}" || t == "]") return Class::Close;
    return Class::Other;
}

constexpr std::array kNumbers = {"0",
                                 "1",
                                 "2",
                                 "63",
                                 "64",
                                 "-1",
                                 "127",
                                 "128",
                                 "0x7fffffff",
                                 "2147483648",
                                 "4294967296",
                                 "9223372036854775807",
                                 "9223372036854775808",
                                 "-9223372036854775808",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "0777",
                                 "08",
                                 "0x",
                                 "100000000"};
constexpr std::array kStrings = {
    R"("")",        R"("%")",       R"("%s")",    R"("%d%d")",       R"("%*.*s%n")",  R"("%-#08.300x")", R"("%1$d")",
    R"("\")",       R"("\0\377")",  R"("\x80%")", R"("(((")",        R"("[a-")",      R"("a{0,999}")",   R"("(a*)*b")",
    R"("[[:x:]]")", R"("^$|()\1")", R"("*")",     R"("vfs_{a,b}*")", R"("task_str")", R"("%%%b%1m%M")",  R"("%16d%l")"};
constexpr std::array kOperators = {"+",  "-",  "*",  "/",  "%",  "<<", ">>", ">>>", "&",  "|",   "^",  "!",  "~",  "&&",
                                   "||", "==", "!=", "<",  "<=", ".",  "=",  "+=",  ".=", "<<<", "++", "--", "?",  ":",
                                   "in", "=~", "!~", "->", ",",  ";",  "(",  ")",   "[",  "]",   "{",  "}",  "%(", "%)",
                                   "%?", "%:", "*",  "**", "-",  "&",  "@",  "$",   "`",  "\\",  "'",  "%=", "/="};
constexpr std::array kStatements = {
    "if (1) { }",
    "while (x++ < 3) { break }",
    "for (;;) { next }",
    "foreach (k in arr) { delete arr[k] }",
    "foreach (v = [a, b] in arr- limit 3) { arr[a, b] = v }",
    "foreach (k in s @sum+) println(k)",
    "try { error(\"x\") } catch (e) { println(e) }",
    "delete arr",
    "delete arr[*, 1]",
    "return 1",
    "next",
    "continue",
    "x = x",
    "s <<< 1",
    "s <<< s",
    "printf(\"%s %d\\n\", \"a\", 1)",
    "print(@hist_log(s))",
    "print(@hist_linear(s, 0, 100, 10))",
    "println(@variance(s, 3))",
    "println(@min(s), @max(s), @avg(s))",
    "arr[1, 2, 3, 4, 5, 6, 7, 8, 9, 10] = 1",
    "if (\"a\" =~ \"(b|c)*d\") println(matched(1))",
    "x = $var->a->b[1]",
    "x = @cast(1, \"task_struct\")->pid",
    "x = @defined($x) ? 1 : 0",
    "x = @entry(1)",
    "x = 1 / 0 % 0",
    "x = f(f(f(1)))",
    "print()",
    "printd(\",\", 1, \"a\", 2)",
};
constexpr std::array kItems = {
    "global arr[10]%, s, x = 1",
    "global x = \"a\"",
    "private global arr",
    "function f(a) { return f(a) }",
    "function f:string(a:long, b) :2 { next }",
    "private function f() { }",
    "probe begin, end { println(x) }",
    "probe never { }",
    "probe timer.s(1) if (x > 1) { x++ }",
    "probe kernel.function(\"*\") ? { }",
    "probe al.b = begin { y = 1 }",
    "probe al.b += al.b { y = 2 }",
    "probe al.* { println(y) }",
    "probe {begin, end}(1)! { }",
    "@define m(a) %( @a + @m(@a) %)",
    "@define n %( 1 %)",
    "%( 1 == 1 %? probe begin { } %: global q %)",
};

constexpr std::pair<const char *, const char *> kNests[] = {{"(", ")"},      {"{", "}"},
                                                            {"if (1)", ""},  {"!", ""},
                                                            {"-", ""},       {"x = ", ""},
                                                            {"1 ? 1 :", ""}, {"1 + (", ")"},
                                                            {"f(", ")"},     {"arr[", "]"},
                                                            {"1 .", ""},     {"try {", "} catch { }"},
                                                            {"$a->", ""},    {"%( 1 == 1 %?", "%)"},
                                                            {"x ? ", ": 1"}, {"foreach (k in arr)", ""},
                                                            {"al.", ""},     {"if (1) { } else", ""},
                                                            {"1 &&", ""},    {"1 ?", ": 1"}};

class Mutator {
  public:
    Mutator(const Pool &pool, uint64_t seed) : pool_(pool), random_(seed) {}

    Tokens run() {
        tokens_ = other();
        int changes = 1 + pick(pick(5) ? 2 : 12);
        for (int i = 0; i < changes; i++)
            change();
        if (tokens_.size() > kMost) tokens_.resize(kMost);
        return std::move(tokens_);
    }

  private:
    static constexpr size_t kMost = 40000;

    int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
    size_t pick_size(size_t n) { return static_cast<size_t>(random_() % n); }
    template <class List>
    const char *pick_from(const List &list) {
        return list[pick_size(list.size())];
    }
    const Tokens &other() {
        bool good = pool_.good && pick(4);
        return pool_.scripts[pick_size(good ? pool_.good : pool_.scripts.size())];
    }
    size_t place() { return pick_size(tokens_.size() + 1); }
    auto at(size_t n) { return tokens_.begin() + static_cast<std::ptrdiff_t>(n); }

    // A piece of another script, or of this one.
    Tokens piece(const Tokens &from, size_t most) {
        if (from.empty()) return {};
        size_t start = pick_size(from.size()), length = 1 + pick_size(most);
        auto first = from.begin() + static_cast<std::ptrdiff_t>(start);
        return {first, first + static_cast<std::ptrdiff_t>(std::min(length, from.size() - start))};
    }
    // [start, end) of a bracketed group of `from` that begins with `open`, when one is near a random place.
    static bool group(const Tokens &from, const std::string &open, size_t near, size_t &start, size_t &end) {
        if (from.empty()) return false;
        auto first = std::find(from.begin() + static_cast<std::ptrdiff_t>(near), from.end(), open);
        int depth = 0;
        for (auto t = first; t != from.end(); ++t) {
            depth += class_of(*t) == Class::Open ? 1 : class_of(*t) == Class::Close ? -1 : 0;
            if (depth > 0) continue;
            start = static_cast<size_t>(first - from.begin()), end = static_cast<size_t>(t - from.begin()) + 1;
            return true;
        }
        return false;
    }

    void insert(size_t where, const Tokens &what) {
        Tokens copy = what;  // may be a part of tokens_
        tokens_.insert(at(where), copy.begin(), copy.end());
    }
    void erase(size_t start, size_t length) { tokens_.erase(at(start), at(std::min(start + length, tokens_.size()))); }

    // Puts a token of the same class, from anywhere, in place of one: mutants that still parse.
    void replace_alike() {
        size_t where = pick_size(tokens_.size());
        Class wanted = class_of(tokens_[where]);
        const Tokens &from = pick(2) ? tokens_ : other();
        if (from.empty()) return;
        size_t start = pick_size(from.size());
        for (size_t i = 0; i < from.size(); i++) {
            const std::string &t = from[(start + i) % from.size()];
            if (class_of(t) != wanted || t == tokens_[where]) continue;
            tokens_[where] = std::string(t);
            return;
        }
    }
    void replace_group() {
        const std::string open = pick(2) ? "(" : pick(2) ? "{" : "[";
        const Tokens &from = other();
        size_t start, end, s, e;
        if (from.empty() || !group(tokens_, open, pick_size(tokens_.size()), start, end) ||
            !group(from, open, pick_size(from.size()), s, e))
            return;
        Tokens what(from.begin() + static_cast<std::ptrdiff_t>(s), from.begin() + static_cast<std::ptrdiff_t>(e));
        erase(start, end - start);
        insert(start, what);
    }
    void change_literal() {
        size_t start = pick_size(tokens_.size());
        for (size_t i = 0; i < tokens_.size(); i++) {
            std::string &t = tokens_[(start + i) % tokens_.size()];
            if (class_of(t) == Class::Number)
                t = pick_from(kNumbers);
            else if (class_of(t) == Class::String)
                t = pick(20) ? pick_from(kStrings) : '"' + std::string(700, 'a') + '"';
            else
                continue;
            return;
        }
    }
    // Deep nesting, which must be refused or coped with, never overflow a stack.
    void nest() {
        auto [open, close] = kNests[pick_size(std::size(kNests))];
        int depth = pick(3) ? 2 + pick(30) : 1 << (5 + pick(10));
        size_t start = place(), end = std::min(tokens_.size(), start + pick_size(6));
        Tokens opening(static_cast<size_t>(depth), open), closing(static_cast<size_t>(depth), close);
        insert(end, closing);
        insert(start, opening);
    }
    // Macros that double what they stand for: the expansion must be bounded.
    void explode() {
        Tokens defines;
        int levels = 5 + pick(40);
        for (int i = 0; i < levels; i++) {
            std::string one = "z" + std::to_string(i), next = "@z" + std::to_string(i + 1);
            for (const std::string &t :
                 {std::string("@define"), one, std::string("%("), next, std::string("+"), next, std::string("%)")})
                defines.push_back(t);
        }
        Tokens last = {"@define", "z" + std::to_string(levels), "%(", "1", "%)"};
        defines.insert(defines.end(), last.begin(), last.end());
        insert(place(), {"@z0"});
        insert(0, defines);
    }

    void change() {
        if (tokens_.empty()) tokens_ = {"probe", "begin", "{", "}"};
        size_t where = pick_size(tokens_.size());
        switch (pick(24)) {
            case 0:
                return erase(where, 1);
            case 1:
                return erase(where, 1 + pick_size(20));
            case 2:
                return insert(where, {tokens_[where]});
            case 3:
                return insert(place(), piece(tokens_, 20));
            case 4:
                return std::swap(tokens_[where], tokens_[pick_size(tokens_.size())]);
            case 5:
                return where ? std::swap(tokens_[where], tokens_[where - 1]) : void();
            case 6:
                return insert(where, piece(other(), 40));
            case 7: {
                const Tokens &tail = other();
                tokens_.resize(where);
                if (!tail.empty())
                    insert(where, {tail.begin() + static_cast<std::ptrdiff_t>(pick_size(tail.size())), tail.end()});
                return;
            }
            case 8:
                return insert(where, {pick_from(kOperators)});
            case 9:
                tokens_[where] = pick_from(kOperators);
                return;
            case 10:
            case 11:
                return insert_after(pick(2) ? ";" : "{", tokenize(pick_from(kStatements)));
            case 12:
                return insert_after("}", tokenize(pick_from(kItems)));
            case 13:
                return insert(0, tokenize(pick_from(kItems)));
            case 14:
                return pick(8) ? change_literal() : nest();
            case 15:
                return pick(12) ? change_literal() : explode();
            case 16:
            case 17:
                return replace_group();
            case 18:
                return insert(tokens_.size(), other());
            default:
                return replace_alike();
        }
    }
    void insert_after(const std::string &mark, const Tokens &what) {
        size_t start = pick_size(tokens_.size());
        auto found = std::find(at(start), tokens_.end(), mark);
        insert(found == tokens_.end() ? start : static_cast<size_t>(found - tokens_.begin()) + 1, what);
    }

    const Pool &pool_;
    std::mt19937_64 random_;
    Tokens tokens_;
};

}  // namespace

Tokens tokenize(std::string_view text) {
    Tokens tokens;
    while (!text.empty()) {
        size_t skip = blank(text);
        if (skip == 0) {
            skip = token(text);
            tokens.emplace_back(text.substr(0, skip));
        }
        text.remove_prefix(skip);
    }
    return tokens;
}

std::string join(const Tokens &tokens) {
    std::string text;
    for (const std::string &t : tokens) {
        text += t;
        text += t == ";" || t == "{" || t == "}" || t == "%)" ? '\n' : ' ';
    }
    return text;
}

std::string mutant(const Pool &pool, uint64_t seed) {
    return join(Mutator(pool, seed).run());
}

}  // namespace tapir::fuzz
