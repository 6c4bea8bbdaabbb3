// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/name_patterns.h"

#include <algorithm>
#include <numeric>

namespace tapir {

bool has_wildcard(std::string_view pattern) {
    return pattern.find_first_of("*?[") != std::string_view::npos;
}

namespace {

// Matches one bracket expression at pattern[p] == '['. Returns the position after it, or npos if it is not closed.
size_t match_bracket(std::string_view pattern, size_t p, char c, bool &matched) {
    size_t i = p + 1;
    bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
    if (negated) ++i;
    bool found = false;
    for (size_t first = i; i < pattern.size(); ++i) {
        if (pattern[i] == ']' && i != first) {
            matched = found != negated;
            return i + 1;
        }
        auto low = static_cast<unsigned char>(pattern[i]);
        unsigned char high = low;
        if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
            high = static_cast<unsigned char>(pattern[i + 2]);
            i += 2;
        }
        auto byte = static_cast<unsigned char>(c);
        found |= low <= byte && byte <= high;
    }
    return std::string_view::npos;
}

// Matches one non-star item of the pattern at p against c; returns the position after the item, npos when it does not
// match.
size_t match_item(std::string_view pattern, size_t p, char c) {
    if (pattern[p] == '?') return p + 1;
    if (pattern[p] == '[') {
        bool matched = false;
        size_t next = match_bracket(pattern, p, c, matched);
        if (next != std::string_view::npos) return matched ? next : std::string_view::npos;
    }
    if (pattern[p] == '\\' && p + 1 < pattern.size()) ++p;
    return pattern[p] == c ? p + 1 : std::string_view::npos;
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view name) {
    size_t p = 0, n = 0, star = std::string_view::npos, mark = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = n;
            continue;
        }
        size_t next = p < pattern.size() ? match_item(pattern, p, name[n]) : std::string_view::npos;
        if (next != std::string_view::npos) {
            p = next;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
    if (a.size() > b.size()) std::swap(a, b);
    if (b.size() - a.size() > limit) return limit + 1;
    std::vector<size_t> before(a.size() + 1), last(a.size() + 1), row(a.size() + 1);
    std::iota(last.begin(), last.end(), 0);
    for (size_t j = 1; j <= b.size(); ++j) {
        row[0] = j;
        size_t best = j;
        for (size_t i = 1; i <= a.size(); ++i) {
            row[i] = std::min({last[i] + 1, row[i - 1] + 1, last[i - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[i] = std::min(row[i], before[i - 2] + 1);
            best = std::min(best, row[i]);
        }
        if (best > limit) return limit + 1;
        std::swap(before, last);
        std::swap(last, row);
    }
    return std::min(last[a.size()], limit + 1);
}

std::vector<std::string> similar_views(std::string_view name, const std::vector<std::string_view> &names,
                                       size_t limit) {
    constexpr size_t kShortest = 3;  // a shorter name is near to everything
    if (name.size() < kShortest) return {};
    const size_t most = std::clamp<size_t>(name.size() / 3, 1, 4);
    std::vector<std::pair<size_t, std::string_view>> near;
    for (std::string_view candidate : names) {
        if (candidate == name) continue;
        size_t distance = edit_distance(name, candidate, most);
        if (distance <= most) near.emplace_back(distance, candidate);
    }
    std::stable_sort(near.begin(), near.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<std::string> result;
    for (const auto &[distance, candidate] : near) {
        if (result.size() == limit) break;
        if (std::find(result.begin(), result.end(), candidate) == result.end()) result.emplace_back(candidate);
    }
    return result;
}

std::vector<std::string> similar_names(std::string_view name, const std::vector<std::string> &names, size_t limit) {
    return similar_views(name, std::vector<std::string_view>(names.begin(), names.end()), limit);
}

std::string similar_text(const std::vector<std::string> &names, std::string_view label) {
    if (names.empty()) return "";
    std::string text = " (" + std::string(label) + ": ";
    for (size_t i = 0; i < names.size(); ++i)
        text += (i ? ", " : "") + names[i];
    return text + ")";
}

}  // namespace tapir
