// SPDX-License-Identifier: GPL-2.0-or-later
#include "names/qualified_name.h"

#include <algorithm>

#include "base/name_patterns.h"
#include "names/type_spelling.h"

namespace tapir {

namespace {

// Deeper scopes do not match: the search tries each "*" at each place.
constexpr size_t kMaxParts = 64;

bool is_identifier(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
           (c & 0x80) != 0;
}

// Returns the length of "operator" and its symbol at the start of `text`, or 0. Conversions ("operator int") have no
// symbol.
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

// "operator int", "operator new[]", "operator\"\"_km"
bool is_operator(std::string_view part) {
    constexpr std::string_view kWord = "operator";
    return part.starts_with(kWord) && (part.size() == kWord.size() || !is_identifier(part[kWord.size()]));
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
        // Go's "main.(*Job).Weigh" has the receiver's type in parentheses.
        if (c == '(' && at > start && text[at - 1] != '.') {
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
        } else if (demangled && c == ' ' && !is_operator(text.substr(start, at - start))) {
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

// Parameters and the text behind them in one spelling.
std::string parameters_spelling(std::string_view parameters) {
    constexpr std::string_view kClone = " [clone ";
    return parameters.starts_with('(') ? type_spelling(parameters.substr(0, parameters.find(kClone))) : std::string();
}

// "Box<const char*>" with its arguments in one spelling.
std::string part_spelling(std::string_view part) {
    const std::string_view base = without_template_arguments(part);
    if (base.size() == part.size()) return compacted(part);
    return compacted(base) + type_spelling(part.substr(base.size()));
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

std::string without_abi_tags(std::string_view name) {
    constexpr std::string_view kTag = "[abi:";
    std::string text;
    for (size_t at; (at = name.find(kTag)) != std::string_view::npos;) {
        const size_t end = name.find(']', at);
        if (end == std::string_view::npos) break;
        text += name.substr(0, at);
        name.remove_prefix(end + 1);
    }
    return text += name;
}

std::string join_name(std::span<const std::string_view> parts) {
    std::string text;
    for (std::string_view part : parts)
        text += (text.empty() ? "" : "::") + std::string(part);
    return text;
}

// Mangled names have abbreviations for these, and codes for operators (Itanium C++ ABI, 5.1.3 and 5.1.10); Rust's write
// letters beyond ASCII in a way of their own.
static bool is_kept_when_mangled(std::string_view word) {
    static constexpr std::string_view kAbbreviated[] = {"std",           "allocator",     "basic_string",   "string",
                                                        "basic_istream", "basic_ostream", "basic_iostream", "istream",
                                                        "ostream",       "iostream",      "operator"};
    return std::find(std::begin(kAbbreviated), std::end(kAbbreviated), word) == std::end(kAbbreviated) &&
           std::none_of(word.begin(), word.end(), [](char c) { return (c & 0x80) != 0; });
}

void NamePattern::take_identifier(std::string_view part) {
    if (part.starts_with('<') || part.starts_with('(') || part.starts_with('{') || is_operator(part)) return;
    for (size_t at = 0; at < part.size();) {
        size_t end = at;
        while (end < part.size() && is_identifier(part[end]))
            ++end;
        const std::string_view word = part.substr(at, end - at);
        if (word.size() > identifier_.size() && is_kept_when_mangled(word)) identifier_ = word;
        if (end < part.size() && (part[end] == '<' || part[end] == '{')) break;
        at = end + 1;
    }
}

NamePattern::NamePattern(std::string_view text) : text_(without_abi_tags(text)) {
    const QualifiedName name = split_name(text_);
    from_global_ = name.from_global;
    for (std::string_view part : name.parts) {
        const bool arguments = without_template_arguments(part).size() != part.size();
        const bool wild = has_wildcard(part);
        const bool literal = wild && (arguments || operator_length(part) != 0 || part.starts_with('<'));
        parts_.push_back({std::string(part), part_spelling(part), arguments, literal, wild});
        has_literals_ = has_literals_ || literal;
        has_arguments_ = has_arguments_ || arguments;
        if (!wild) take_identifier(part);
    }
    // Two of them in a row are one.
    for (size_t i = 1; i + 1 < parts_.size();)
        parts_[i].text == "*" && parts_[i - 1].text == "*" ? void(parts_.erase(parts_.begin() + static_cast<long>(i)))
                                                           : void(++i);
    parameters_ = parameters_spelling(name.parameters);
    has_open_parameters_ = parameters_.find("(*") != std::string::npos || parameters_.find(",*") != std::string::npos;
    has_literals_ = has_literals_ || has_open_parameters_;
}

bool NamePattern::is_open(const Part &part, Mode mode) {
    return part.wild && (mode == Mode::Wild || (mode == Mode::Literal && !part.literal));
}

bool NamePattern::is_open(Mode mode) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const Part &part) { return is_open(part, mode); });
}

bool NamePattern::part_matches(const Part &part, std::string_view name, Mode mode) {
    if (part.text == name) return true;
    const std::string_view base = part.has_arguments ? name : without_template_arguments(name);
    if (is_open(part, mode))
        return glob_match(part.text, name) || (base.size() != name.size() && glob_match(part.text, base));
    if (base.size() != name.size() && part.text == base) return true;
    if (part.text.starts_with('<')) {
        const std::string compact = compacted(name);
        return part.compact == compact ||
               (part.compact.find("::") == std::string::npos && part.compact == without_paths(compact));
    }
    if (!part.has_arguments || without_template_arguments(name) != without_template_arguments(part.text)) return false;
    const std::string spelled = part_spelling(name);
    return part.compact == spelled || (mode == Mode::Loose && stands_for(part.compact, spelled));
}

BareName bare_name(std::span<const std::string_view> parts, uint64_t inlined) {
    BareName bare;
    std::vector<std::string_view> kept;
    for (size_t i = 0; i < parts.size(); ++i) {
        const bool scope = i + 1 < parts.size();
        if (scope && ((i < kMaxParts && (inlined >> i & 1)) || may_be_left_out(parts[i]))) continue;
        kept.push_back(without_template_arguments(parts[i]));
        bare.arguments = bare.arguments << 1 | (kept.back().size() != parts[i].size() ? 1 : 0);
    }
    bare.text = join_name(kept);
    return bare;
}

bool NamePattern::Scopes::may_be_left_out(size_t i) const {
    return (inlined >> i & 1) || tapir::may_be_left_out(names[i]);
}

// Do the first `count` parts match the first `left` scopes, or the last of these?
bool NamePattern::matches_scopes(size_t count, const Scopes &scopes, size_t left, Mode mode) const {
    if (count == 0) {
        while (from_global_ && left > 0 && scopes.may_be_left_out(left - 1))
            --left;
        return !from_global_ || left == 0;
    }
    const Part &part = parts_[count - 1];
    if (part.text == "*" && (mode == Mode::Literal || mode == Mode::Wild)) {
        for (size_t fewer = left + 1; fewer-- > 0;)
            if (matches_scopes(count - 1, scopes, fewer, mode)) return true;
        return false;
    }
    if (left == 0) return false;
    return (part_matches(part, scopes.names[left - 1], mode) && matches_scopes(count - 1, scopes, left - 1, mode)) ||
           (scopes.may_be_left_out(left - 1) && matches_scopes(count, scopes, left - 1, mode));
}

bool NamePattern::matches(std::span<const std::string_view> parts, Mode mode, uint64_t inlined) const {
    if (parts.empty() || parts.size() > kMaxParts || parts_.size() > kMaxParts || !matches_last(parts.back(), mode))
        return false;
    const Scopes scopes{parts, inlined};
    size_t left = parts.size() - 1;
    if (matches_scopes(parts_.size() - 1, scopes, left, mode)) return true;
    // "ns::*" also matches members of the namespace's classes.
    if (parts_.size() > 1 && parts_.back().text == "*")
        while (left-- > 0)
            if (matches_scopes(parts_.size() - 1, scopes, left, mode)) return true;
    return false;
}

bool NamePattern::matches_parameters(std::string_view parameters, Mode mode) const {
    if (parameters_.empty()) return true;
    std::string text = parameters_spelling(parameters);
    if (parameters_.ends_with(')')) text.resize(text.rfind(')') == std::string::npos ? 0 : text.rfind(')') + 1);
    return text == parameters_ || (mode == Mode::Wild && has_open_parameters_ && glob_match(parameters_, text));
}

}  // namespace tapir
