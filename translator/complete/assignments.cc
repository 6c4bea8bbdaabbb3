// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/assignments.h"

#include <cctype>
#include <optional>
#include <vector>

#include "complete/uses.h"

namespace tapir::complete {

namespace {

bool is_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

size_t skip_blanks(std::string_view text, size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t'))
        at++;
    return at;
}

size_t skip_word(std::string_view text, size_t at) {
    while (at < text.size() && is_letter(text[at]))
        at++;
    return at;
}

// Behind the bracket that closes the one at `at`; npos: none does.
size_t skip_brackets(std::string_view text, size_t at) {
    int depth = 0;
    bool quoted = false;
    for (; at < text.size(); at++) {
        const char c = text[at];
        if (c == '"') quoted = !quoted;
        if (quoted) continue;
        depth += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (depth == 0) return at + 1;
    }
    return text.npos;
}

// The end of "$file->f_path", "&$here", "@cast(p, "file")" or "other->next" at `at`; npos: something else is there, or
// the value goes on behind it.
size_t end_of_pointer(std::string_view text, size_t at) {
    if (at < text.size() && text[at] == '&') at = skip_blanks(text, at + 1);
    if (at >= text.size()) return text.npos;
    if (text.substr(at).starts_with("@cast")) {
        at = skip_blanks(text, skip_word(text, at + 1));
        if (at >= text.size() || text[at] != '(') return text.npos;
        at = skip_brackets(text, at);
        if (at == text.npos) return at;
    } else {
        const size_t name = at + (text[at] == '$');
        at = skip_word(text, name);
        if (at == name || std::isdigit(static_cast<unsigned char>(text[name]))) return text.npos;
    }
    while (true) {
        const size_t next = skip_blanks(text, at);
        if (text.substr(next).starts_with("->")) {
            const size_t member = skip_blanks(text, next + 2);
            at = skip_word(text, member);
            if (at == member) return text.npos;
        } else if (next < text.size() && text[next] == '[') {
            at = skip_brackets(text, next);
            if (at == text.npos) return at;
        } else {
            constexpr std::string_view kGoesOn = "+-*/%&|^<>=!?.,(";
            const bool ends_branch = text.substr(next).starts_with("%)") || text.substr(next).starts_with("%:");
            const bool goes_on = next < text.size() && kGoesOn.find(text[next]) != text.npos && !ends_branch;
            return goes_on ? text.npos : at;
        }
    }
}

struct Assigned {
    size_t name = 0;  // offset
    std::string_view value;
};

std::optional<Assigned> assigned_at(std::string_view text, const Use &use) {
    size_t at = skip_blanks(text, use.begin + use.name.size());
    if (at + 1 >= text.size() || text[at] != '=' || text[at + 1] == '=') return std::nullopt;
    at = skip_blanks(text, at + 1);
    const size_t end = end_of_pointer(text, at);
    if (end == text.npos) return std::nullopt;
    return Assigned{use.begin, text.substr(at, end - at)};
}

// The assignment that decides about the mention of `name` at `at`.
std::optional<Assigned> find_assignment(std::string_view text, const std::vector<Use> &uses, std::string_view name,
                                        size_t at) {
    size_t item = 0;
    bool global = false;
    for (const Use &use : uses) {
        if (use.begin <= at) item = use.item;
        global |= use.global && use.name == name;
    }
    std::optional<Assigned> before, anywhere;
    for (const Use &use : uses) {
        if (use.kind != UseKind::Variable || use.name != name) continue;
        const bool same = use.item == item;
        if (!same && !global) continue;
        const auto found = assigned_at(text, use);
        if (!found) continue;
        if (same && use.begin < at) before = found;
        if (!anywhere) anywhere = found;
    }
    return before ? before : anywhere;
}

}  // namespace

void follow_assignments(std::string_view text, Place &place) {
    constexpr int kMost = 8;  // a loop sets a variable from itself
    const std::vector<Use> uses = uses_of(text);
    std::string base = place.base, points = place.points;
    size_t at = place.begin;
    for (int i = 0; i < kMost; i++) {
        const size_t address = base.starts_with('&') ? 1 : 0, end = skip_word(base, address);
        const std::string name = base.substr(address, end - address);
        if (name.empty()) break;
        const size_t next = skip_blanks(base, end);
        if (next < base.size() && base[next] == '(') return;
        const std::optional<Assigned> found = find_assignment(text, uses, name, at);
        if (!found) return;
        std::string_view value = found->value;
        if (value.starts_with('&')) value = value.substr(skip_blanks(value, 1));
        base = std::string(value) + base.substr(end);
        points = find_place(text, found->name + name.size()).points;
        at = found->name;
    }
    if (!base.starts_with('$') && !base.starts_with('@')) return;
    place.base = base;
    place.points = points;
}

}  // namespace tapir::complete
