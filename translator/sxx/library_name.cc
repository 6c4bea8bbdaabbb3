// SPDX-License-Identifier: GPL-2.0-or-later
#include "sxx/library_name.h"

#include <algorithm>

#include "sxx/line.h"

namespace tapir::sxx {
namespace {

constexpr std::string_view kPrefix = "lib", kSo = ".so";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Where ".so" and the numbers behind it begin that a path ends with; npos: nowhere.
size_t find_so(std::string_view path) {
    size_t end = path.size();
    while (true) {
        if (path.substr(0, end).ends_with(kSo)) return end - kSo.size();
        size_t digits = end;
        while (digits > 0 && is_digit(path[digits - 1]))
            --digits;
        if (digits == end || digits == 0 || path[digits - 1] != '.') return std::string_view::npos;
        end = digits - 1;
    }
}

// Calls accept(rest) for each place of a path where `name` begins a word, with what is between it and ".so".
template <class Accept>
bool has_name(std::string_view path, std::string_view name, Accept accept) {
    const size_t so = find_so(path);
    if (so == std::string_view::npos) return false;
    const std::string_view stem = path.substr(0, so);
    for (size_t at = stem.find(name); at != std::string_view::npos; at = stem.find(name, at + 1))
        if ((at == 0 || !is_word(path[at - 1])) && accept(stem.substr(at + name.size()))) return true;
    return false;
}

bool is_exact(std::string_view path, std::string_view name) {
    return has_name(path, name, [](std::string_view rest) {
        return std::all_of(rest.begin(), rest.end(), [](char c) { return c == '-' || c == '.' || is_digit(c); });
    });
}

bool is_near(std::string_view path, std::string_view name) {
    const auto same_part = [](std::string_view rest) {
        return std::none_of(rest.begin(), rest.end(), [](char c) { return c == '/' || is_blank(c); });
    };
    return has_name(path, name, same_part) || has_name(path, name.substr(kPrefix.size()), same_part);
}

}  // namespace

FoundLibrary find_library(std::string_view name, std::vector<Mapped> files) {
    std::sort(files.begin(), files.end(), [](const Mapped &a, const Mapped &b) { return a.known < b.known; });
    FoundLibrary found;
    for (const Mapped &file : files) {
        if (is_exact(file.known, name)) return {file.path, {}};
        if (!is_near(file.known, name)) continue;
        if (found.path.empty())
            found.path = file.path;
        else
            found.others.push_back(file.path);
    }
    return found;
}

std::vector<std::string> library_names(const std::vector<Mapped> &files) {
    std::vector<std::string> names;
    for (const Mapped &file : files) {
        std::string base = file.known.substr(file.known.rfind('/') + 1);
        if (find_so(base) == std::string::npos) continue;
        base.resize(find_so(base));
        base.resize(base.find_last_not_of("-.0123456789") + 1);
        if (!base.empty()) names.push_back(std::move(base));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

}  // namespace tapir::sxx
