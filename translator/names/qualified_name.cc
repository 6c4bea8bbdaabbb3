// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/qualified_name.h"

#include <algorithm>

#include "base/name_patterns.h"

namespace tapir {

namespace {

// Deeper scopes are no match: the search tries each "*" at each place.
constexpr size_t kMaxParts = 64;

bool is_identifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (c & 0x80) != 0;
}

// The length of "operator" and its symbol at the start of `text`; 0 where there is none. Conversions ("operator int")
// have no symbol.
size_t operator_length(std::string_view text) {
    constexpr std::string_view kWord = "operator";
    // Longer ones first.
    static constexpr std::string_view kSymbols[] = {
        "()", "[]", "<=>", "->*", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=",
        "&&", "||", "++",  "--",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "+",
        "-",  "*",  "/",   "%",   "^",   "&",   "|",  "~",  "!",  "=",  "<",  ">",  ","};
    if (!text.starts_with(kWord)) return 0;
    for (std::string_view symbol : kSymbols)
        if (text.substr(kWord.size()).starts_with(symbol)) return kWord.size() + symbol.size();
    return 0;
}

// Position after the bracket that closes the one at `at`.
size_t after_bracket(std::string_view text, size_t at) {
    int depth = 0;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '<' || c == '(' || c == '{') ++depth;
        if (c == '>' && at > 0 && text[at - 1] == '-') continue;  // "->"
        if ((c == '>' || c == ')' || c == '}') && --depth == 0) return at + 1;
    }
    return text.size();
}

QualifiedName split(std::string_view text, bool demangled) {
    QualifiedName name;
    if (text.starts_with("::")) {
        name.from_global = true;
        text.remove_prefix(2);
    }
    size_t start = 0, at = operator_length(text);
    const auto new_part = [&](size_t from) {
        start = from;
        at = from + operator_length(text.substr(from));
    };
    while (at < text.size()) {
        const char c = text[at];
        if (c == '(' && at > start) {
            const size_t end = after_bracket(text, at);
            if (text.substr(end).find("::") == std::string_view::npos) {
                name.parameters = text.substr(at);
                break;
            }
            at = end;
        } else if (c == '<' || c == '(' || c == '{') {
            at = after_bracket(text, at);
        } else if (c == ':' && text.substr(at).starts_with("::")) {
            name.parts.push_back(text.substr(start, at - start));
            new_part(at + 2);
        } else if (demangled && c == ' ' && text.substr(start, at - start) != "operator") {
            name.parts.clear();  // it was the result's type
            new_part(at + 1);
        } else {
            ++at;
        }
    }
    name.parts.push_back(text.substr(start, std::min(at, text.size()) - start));
    return name;
}

// Without the spaces that mean nothing.
std::string compacted(std::string_view text) {
    std::string compact;
    for (size_t at = 0; at < text.size(); ++at) {
        if (text[at] != ' ') {
            compact += text[at];
            continue;
        }
        const size_t next = text.find_first_not_of(' ', at);
        if (next != std::string_view::npos && !compact.empty() && is_identifier(compact.back()) &&
            is_identifier(text[next]))
            compact += ' ';
    }
    return compact;
}

void replace_all(std::string &text, std::string_view what, std::string_view by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
}

// "const char *" -> "char const*", as demanglers write it; "unsigned" -> "unsigned int".
std::string parameter_spelling(std::string_view parameter) {
    constexpr std::string_view kConst = "const ";
    std::string text = compacted(parameter);
    if (text.starts_with(kConst)) {
        text.erase(0, kConst.size());
        size_t end = 0;
        while (end < text.size() && text[end] != '*' && text[end] != '&')
            end = text[end] == '<' ? after_bracket(text, end) : end + 1;
        text = compacted(text.substr(0, end) + " const" + text.substr(end));
    }
    static constexpr std::pair<std::string_view, std::string_view> kIntegers[] = {
        {"unsigned", "unsigned int"},
        {"long int", "long"},
        {"short int", "short"},
        {"long unsigned int", "unsigned long"},
        {"unsigned long int", "unsigned long"},
        {"long long int", "long long"}};
    for (const auto &[spelling, usual] : kIntegers)
        if (text == spelling) return std::string(usual);
    return text;
}

// Parameters and what follows them in one spelling.
std::string parameters_spelling(std::string_view parameters) {
    if (!parameters.starts_with('(')) return {};
    const size_t end = after_bracket(parameters, 0);
    const bool closed = end > 1 && parameters[end - 1] == ')';
    const std::string_view inner = parameters.substr(1, end - 1 - (closed ? 1 : 0));
    std::string text = "(";
    for (size_t at = 0, start = 0; at <= inner.size();) {
        if (at < inner.size() && inner[at] != ',') {
            at = inner[at] == '<' || inner[at] == '(' || inner[at] == '{' ? after_bracket(inner, at) : at + 1;
            continue;
        }
        text += (start ? "," : "") + parameter_spelling(inner.substr(start, at - start));
        start = ++at;
    }
    text += ")" + compacted(parameters.substr(end));
    replace_all(text, "std::__cxx11::", "std::");
    replace_all(text, "std::basic_string<char,std::char_traits<char>,std::allocator<char>>", "std::string ");
    text = compacted(text);
    if (text.starts_with("(void)")) text.erase(1, 4);
    return text;
}

// "<sh::geo::Circle as sh::geo::Shape>" -> "<Circle as Shape>"
std::string without_paths(std::string_view part) {
    std::string text;
    size_t word = 0;  // where the path at hand began in `text`
    for (size_t at = 0; at < part.size(); ++at) {
        if (part.substr(at).starts_with("::")) {
            text.resize(word);
            ++at;
            continue;
        }
        text += part[at];
        if (!is_identifier(part[at])) word = text.size();
    }
    return text;
}

// A scope that sources need not write.
bool may_be_left_out(std::string_view scope) {
    return scope.starts_with("__") || scope == "(anonymous namespace)" || scope.starts_with("{impl#") ||
           (scope.size() > 2 && scope[0] == '_' && scope[1] >= 'A' && scope[1] <= 'Z');
}

}  // namespace

QualifiedName split_name(std::string_view text) {
    return split(text, false);
}

QualifiedName split_demangled(std::string_view text) {
    return split(text, true);
}

std::string_view without_template_arguments(std::string_view part) {
    const size_t symbol = operator_length(part);
    const size_t open = part.find('<', symbol ? symbol : 1);
    if (open == std::string_view::npos || part.empty()) return part;
    if (part.front() == '<' || part.front() == '(' || part.front() == '{') return part;
    std::string_view base = part.substr(0, open);
    while (base.ends_with(' '))
        base.remove_suffix(1);
    return base;
}

std::string join_name(std::span<const std::string_view> parts) {
    std::string text;
    for (std::string_view part : parts)
        text += (text.empty() ? "" : "::") + std::string(part);
    return text;
}

NamePattern::NamePattern(std::string_view text) : text_(text) {
    const QualifiedName name = split_name(text);
    from_global_ = name.from_global;
    for (std::string_view part : name.parts) {
        const bool arguments = without_template_arguments(part).size() != part.size();
        const bool wild = has_wildcard(part);
        const bool literal = wild && (arguments || operator_length(part) != 0 || part.starts_with('<'));
        parts_.push_back({std::string(part), compacted(part), arguments, literal, wild});
        has_literals_ = has_literals_ || literal;
        for (size_t at = 0; !wild && at < part.size() && !operator_length(part) && part[0] != '<' && part[0] != '(';) {
            size_t end = at;
            while (end < part.size() && is_identifier(part[end]))
                ++end;
            if (end - at > identifier_.size()) identifier_ = part.substr(at, end - at);
            if (end < part.size() && part[end] == '<') break;
            at = end + 1;
        }
    }
    // Two of them in a row are one.
    for (size_t i = 1; i + 1 < parts_.size();)
        parts_[i].text == "*" && parts_[i - 1].text == "*" ? void(parts_.erase(parts_.begin() + static_cast<long>(i)))
                                                           : void(++i);
    parameters_ = parameters_spelling(name.parameters);
    has_open_parameters_ = parameters_.find("(*") != std::string::npos || parameters_.find(",*") != std::string::npos;
    has_literals_ = has_literals_ || has_open_parameters_;
}

bool NamePattern::last_is_open(Mode mode) const {
    const Part &part = parts_.back();
    return part.wild && !(mode == Mode::Literal && part.literal);
}

bool NamePattern::part_matches(const Part &part, std::string_view name, Mode mode) {
    if (part.text == name) return true;
    const std::string_view base = part.has_arguments ? name : without_template_arguments(name);
    if (part.wild && mode != Mode::Exact && !(part.literal && mode == Mode::Literal))
        return glob_match(part.text, name) || (base.size() != name.size() && glob_match(part.text, base));
    if (base.size() != name.size() && part.text == base) return true;
    if (!part.has_arguments && part.text.front() != '<') return false;
    const std::string compact = compacted(name);
    return part.compact == compact || (part.text.front() == '<' && part.compact.find("::") == std::string::npos &&
                                       part.compact == without_paths(compact));
}

// Do the first `count` parts match these scopes, or the last of them?
bool NamePattern::matches_scopes(size_t count, std::span<const std::string_view> scopes, Mode mode) const {
    if (count == 0) return !from_global_ || std::all_of(scopes.begin(), scopes.end(), may_be_left_out);
    const Part &part = parts_[count - 1];
    if (part.text == "*" && mode != Mode::Exact) {
        for (size_t left = scopes.size() + 1; left-- > 0;)
            if (matches_scopes(count - 1, scopes.first(left), mode)) return true;
        return false;
    }
    if (scopes.empty()) return false;
    const auto outer = scopes.first(scopes.size() - 1);
    return (part_matches(part, scopes.back(), mode) && matches_scopes(count - 1, outer, mode)) ||
           (may_be_left_out(scopes.back()) && matches_scopes(count, outer, mode));
}

bool NamePattern::matches(std::span<const std::string_view> parts, Mode mode) const {
    if (parts.empty() || parts.size() > kMaxParts || parts_.size() > kMaxParts || !matches_last(parts.back(), mode))
        return false;
    size_t scopes = parts.size() - 1;
    if (matches_scopes(parts_.size() - 1, parts.first(scopes), mode)) return true;
    // "ns::*" is also what is in the classes of the namespace.
    if (parts_.size() > 1 && parts_.back().text == "*")
        while (scopes-- > 0)
            if (matches_scopes(parts_.size() - 1, parts.first(scopes), mode)) return true;
    return false;
}

bool NamePattern::matches_parameters(std::string_view parameters, Mode mode) const {
    if (parameters_.empty()) return true;
    std::string text = parameters_spelling(parameters);
    if (parameters_.ends_with(')')) text.resize(text.rfind(')') == std::string::npos ? 0 : text.rfind(')') + 1);
    return text == parameters_ || (mode == Mode::Wild && has_open_parameters_ && glob_match(parameters_, text));
}

}  // namespace tapir
