// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/type_spelling.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

namespace tapir {

namespace {

using Tokens = std::vector<std::string>;

// Text within more brackets stays as it is.
constexpr int kMostDepth = 64;

bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (c & 0x80) != 0;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

template <size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view text) {
    return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// ---- tokens

// The value of a character literal, without its quotes.
int character(std::string_view text) {
    static constexpr std::pair<char, int> kEscapes[] = {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'a', '\a'},
                                                        {'b', '\b'}, {'f', '\f'}, {'v', '\v'}};
    if (text.size() < 2 || text[0] != '\\') return static_cast<unsigned char>(text[0]);
    int value = 0;
    const bool hexadecimal = text[1] == 'x';
    if (hexadecimal || is_digit(text[1])) {
        std::from_chars(text.data() + (hexadecimal ? 2 : 1), text.data() + text.size(), value, hexadecimal ? 16 : 8);
        return value;
    }
    for (const auto &[letter, code] : kEscapes)
        if (text[1] == letter) return code;
    return static_cast<unsigned char>(text[1]);
}

// "3ul" -> "3", "0x10" -> "16"
std::string number(std::string_view text) {
    uint64_t value = 0;
    const bool hexadecimal = text.starts_with("0x");
    const char *begin = text.data() + (hexadecimal ? 2 : 0), *end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(begin, end, value, hexadecimal ? 16 : 10);
    const bool whole = error == std::errc() && std::all_of(rest, end, [](char c) {
                           return std::string_view("uUlLzZ").find(c) != std::string_view::npos;
                       });
    return whole ? std::to_string(value) : std::string(text);
}

Tokens tokens_of(std::string_view text) {
    Tokens tokens;
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        if (text[at] == ' ') {
            ++at;
            continue;
        }
        if (is_word(text[at])) {
            while (end < text.size() && is_word(text[end]))
                ++end;
            tokens.push_back(is_digit(text[at]) ? number(text.substr(at, end - at))
                                                : std::string(text.substr(at, end - at)));
        } else if (text[at] == '\'') {
            // Not a lifetime of Rust.
            end = text.find('\'', at + (text.substr(at, 3) == "'\\'" ? 3 : 2));
            const bool literal = end != std::string_view::npos && (end == at + 2 || text[at + 1] == '\\');
            end = literal ? end + 1 : at + 1;
            tokens.push_back(literal ? std::to_string(character(text.substr(at + 1, end - at - 2))) : "'");
        } else {
            if (text.substr(at, 2) == "::" || text.substr(at, 2) == "->") ++end;
            tokens.emplace_back(text.substr(at, end - at));
        }
        at = end;
    }
    return tokens;
}

std::string joined(std::span<const std::string> tokens) {
    std::string text;
    for (const std::string &token : tokens) {
        if (!text.empty() && is_word(text.back()) && is_word(token[0])) text += ' ';
        text += token;
    }
    return text;
}

bool opens(const std::string &token) {
    return token == "<" || token == "(" || token == "{" || token == "[";
}
bool closes(const std::string &token) {
    return token == ">" || token == ")" || token == "}" || token == "]";
}

// Position of the bracket that closes the one at `at`, or the end.
size_t closing(std::span<const std::string> tokens, size_t at) {
    int depth = 0;
    for (; at < tokens.size(); ++at) {
        if (opens(tokens[at])) ++depth;
        if (closes(tokens[at]) && --depth == 0) break;
    }
    return at;
}

// ---- one argument

constexpr std::string_view kIntegerWords[] = {"unsigned", "signed", "long",     "short",
                                              "int",      "char",   "__int128", "double"};

// "long unsigned int" -> "unsigned long"
std::string integer_of(std::span<const std::string> words) {
    const auto count = [&](std::string_view word) { return std::count(words.begin(), words.end(), word); };
    const std::string sign = count("unsigned") ? "unsigned " : "";
    if (count("double")) return count("long") ? "long double" : "double";
    if (count("char")) return (count("signed") ? "signed " : sign) + "char";
    if (count("short")) return sign + "short";
    if (count("__int128")) return sign + "__int128";
    if (count("long")) return sign + (count("long") > 1 ? "long long" : "long");
    return sign + "int";
}

// The names that the standard headers give to integers, on 64-bit machines.
std::string_view plain_integer(std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {{"size_t", "unsigned long"},
                                                                               {"ssize_t", "long"},
                                                                               {"ptrdiff_t", "long"},
                                                                               {"intptr_t", "long"},
                                                                               {"uintptr_t", "unsigned long"},
                                                                               {"int8_t", "signed char"},
                                                                               {"uint8_t", "unsigned char"},
                                                                               {"int16_t", "short"},
                                                                               {"uint16_t", "unsigned short"},
                                                                               {"int32_t", "int"},
                                                                               {"uint32_t", "unsigned int"},
                                                                               {"int64_t", "long"},
                                                                               {"uint64_t", "unsigned long"},
                                                                               {"intmax_t", "long"},
                                                                               {"uintmax_t", "unsigned long"},
                                                                               {"nullptr_t", "decltype(nullptr)"},
                                                                               {"true", "1"},
                                                                               {"false", "0"}};
    for (const auto &[known, plain] : kNames)
        if (known == name) return plain;
    return name;
}

// Names of integers in one spelling; "struct" and the like, and namespaces that sources do not write, are left out.
Tokens with_plain_names(const Tokens &tokens) {
    constexpr std::string_view kKinds[] = {"struct", "class", "union", "enum", "typename"};
    Tokens plain;
    for (size_t at = 0; at < tokens.size();) {
        size_t end = at;
        while (end < tokens.size() && is_one_of(kIntegerWords, tokens[end]))
            ++end;
        const bool qualifies = at + 1 < tokens.size() && tokens[at + 1] == "::";
        if (end > at) {
            plain.push_back(integer_of(std::span(tokens).subspan(at, end - at)));
            at = end;
        } else if (is_one_of(kKinds, tokens[at]) && at + 1 < tokens.size() && is_word(tokens[at + 1][0])) {
            ++at;
        } else if (qualifies && tokens[at].starts_with("__") && !plain.empty() && plain.back() == "::") {
            at += 2;
        } else {
            const std::string_view name = qualifies ? tokens[at] : plain_integer(tokens[at]);
            if (name != tokens[at] && plain.size() > 1 && plain.back() == "::" && plain[plain.size() - 2] == "std")
                plain.resize(plain.size() - 2);
            plain.emplace_back(name);
            ++at;
        }
    }
    return plain;
}

// "(char)97" -> "97", "(&ns::f)" and "&(ns::f(int))" -> "&ns::f". A bracket's content is one token by now.
Tokens without_casts(Tokens tokens) {
    if (tokens.size() == 3 && tokens[0] == "(" && tokens[1].starts_with('&') && tokens[2] == ")") tokens = {tokens[1]};
    if (tokens.size() == 4 && tokens[0] == "&" && tokens[1] == "(" && tokens[3] == ")")
        tokens = {"&" + tokens[2].substr(0, tokens[2].find('('))};
    const size_t end = !tokens.empty() && tokens[0] == "(" ? closing(tokens, 0) : tokens.size();
    if (end + 1 < tokens.size() && (is_digit(tokens[end + 1][0]) || tokens[end + 1] == "-"))
        tokens.erase(tokens.begin(), tokens.begin() + static_cast<long>(end) + 1);
    return tokens;
}

bool is_qualifier(const std::string &token) {
    return token == "const" || token == "volatile";
}

// "const char *" -> "char const *", as demanglers write it.
Tokens with_qualifiers_behind(Tokens tokens) {
    size_t leading = 0;
    while (leading < tokens.size() && is_qualifier(tokens[leading]))
        ++leading;
    if (leading == 0 || leading == tokens.size()) return tokens;
    std::sort(tokens.begin(), tokens.begin() + static_cast<long>(leading));
    size_t end = leading;
    while (end < tokens.size() && tokens[end] != "*" && tokens[end] != "&" && tokens[end] != "(" &&
           !is_qualifier(tokens[end]))
        end = opens(tokens[end]) ? std::min(closing(tokens, end) + 1, tokens.size()) : end + 1;
    std::rotate(tokens.begin(), tokens.begin() + static_cast<long>(leading), tokens.begin() + static_cast<long>(end));
    return tokens;
}

void replace_all(std::string &text, std::string_view what, std::string_view by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
        text.replace(at, what.size(), by);
        if (at + by.size() < text.size() && is_word(text[at + by.size()]) && is_word(by.back()))
            text.insert(at + by.size(), 1, ' ');
    }
}

// Joins arguments without the brackets around them. A parameter's own const, as opposed to that of its pointee, is not
// part of a function's type.
std::string arguments_text(std::span<const std::string> tokens, bool parameters, int depth = 0) {
    if (depth > kMostDepth) return joined(tokens);
    std::string text;
    Tokens one;
    const auto finish = [&] {
        one = with_qualifiers_behind(without_casts(std::move(one)));
        while (parameters && one.size() > 1 && is_qualifier(one.back()))
            one.pop_back();
        text += joined(one);
        one.clear();
    };
    for (size_t at = 0; at < tokens.size(); ++at) {
        if (tokens[at] == ",") {
            finish();
            text += ",";
        } else if (opens(tokens[at])) {
            const size_t end = closing(tokens, at);
            one.push_back(tokens[at]);
            const std::string inner =
                arguments_text(tokens.subspan(at + 1, end - at - 1), at == 0 && tokens[at] == "(", depth + 1);
            const bool nothing = tokens[at] == "(" && inner == "void";
            if (!inner.empty() && !nothing) one.push_back(inner);
            if (end < tokens.size()) one.push_back(tokens[end]);
            at = end;
        } else {
            one.push_back(tokens[at]);
        }
    }
    finish();
    return text;
}

// ---- omitted parts

std::string_view take_path(std::string_view &text) {
    size_t end = 0;
    while (end < text.size() && (is_word(text[end]) || text.substr(end, 2) == "::"))
        end += is_word(text[end]) ? 1 : 2;
    const std::string_view path = text.substr(0, end);
    text.remove_prefix(end);
    return path;
}

std::vector<std::string_view> scopes_of(std::string_view path) {
    std::vector<std::string_view> scopes;
    for (size_t at; (at = path.find("::")) != std::string_view::npos; path.remove_prefix(at + 2))
        scopes.push_back(path.substr(0, at));
    scopes.push_back(path);
    return scopes;
}

// "geo::Item" for "geo::v2::Item"
bool path_stands_for(std::string_view wanted, std::string_view path) {
    const std::vector<std::string_view> some = scopes_of(wanted), all = scopes_of(path);
    if (some.back() != all.back()) return false;
    auto at = some.begin();
    for (std::string_view scope : all)
        if (at != some.end() && *at == scope) ++at;
    return at == some.end();
}

// To the bracket that closes what `text` is in.
void skip_arguments(std::string_view &text) {
    for (int depth = 0; !text.empty(); text.remove_prefix(1)) {
        if (text[0] == '<' || text[0] == '(' || text[0] == '{' || text[0] == '[') ++depth;
        if ((text[0] == '>' || text[0] == ')' || text[0] == '}' || text[0] == ']') && --depth < 0) return;
        if (text.starts_with("->")) text.remove_prefix(1);
    }
}

}  // namespace

std::string type_spelling(std::string_view given) {
    std::string text = arguments_text(with_plain_names(tokens_of(given)), false);
    replace_all(text, "{anonymous}", "(anonymous namespace)");
    replace_all(text, "<unnamed>", "(anonymous namespace)");
    replace_all(text, "std::basic_string<char,std::char_traits<char>,std::allocator<char>>", "std::string");
    for (const std::string_view stream : {"ostream", "istream", "iostream", "string_view"})
        replace_all(text, "std::basic_" + std::string(stream) + "<char,std::char_traits<char>>",
                    "std::" + std::string(stream));
    return text;
}

bool stands_for(std::string_view wanted, std::string_view name) {
    while (!wanted.empty()) {
        if (wanted[0] == '>' && name.starts_with(',')) skip_arguments(name);
        if (name.empty()) return false;
        if (is_word(wanted[0])) {
            if (!path_stands_for(take_path(wanted), take_path(name))) return false;
        } else {
            if (wanted[0] != name[0]) return false;
            wanted.remove_prefix(1);
            name.remove_prefix(1);
        }
    }
    return name.empty();
}

}  // namespace tapir
