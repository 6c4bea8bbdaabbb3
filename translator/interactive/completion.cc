// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/completion.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <sstream>

#include "common/quoting.h"
#include "interactive/entry.h"
#include "interactive/typed_tokens.h"
#include "syntax/parser.h"

namespace tapir::interactive {

namespace {

constexpr std::string_view kKeywords[] = {
    "probe",    "global",     "private", "function", "if",      "else",    "for",      "foreach",
    "in",       "limit",      "return",  "while",    "delete",  "break",   "continue", "next",
    "try",      "catch",      "string",  "long",     "print",   "println", "printf",   "printd",
    "printdln", "print_char", "sprint",  "sprintln", "sprintf", "sprintd", "sprintdln"};

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Where the word that ends the line begins, with a sign in front of it.
size_t word_begin(std::string_view line) {
    size_t begin = line.size();
    while (begin && is_word(line[begin - 1]))
        begin--;
    while (begin && (line[begin - 1] == '$' || line[begin - 1] == '@'))
        begin--;
    return begin;
}

// The point of the probe that the cursor is in, if it is: `in_body` tells whether it is in the handler.
struct Place {
    std::string point;
    bool in_body = false;
};
std::optional<Place> probe_at(std::string_view text) {
    const std::vector<Lexeme> tokens = lexemes_of(text);
    for (size_t i = tokens.size(); i-- > 0;) {
        if (tokens[i].depth || tokens[i].text != "probe") continue;
        const size_t from = tokens[i].begin + tokens[i].text.size();
        for (size_t j = i + 1; j < tokens.size(); j++)
            if (!tokens[j].depth && tokens[j].text == "{")
                return Place{std::string(trim(text.substr(from, tokens[j].begin - from))), true};
        return Place{std::string(text.substr(from)), false};
    }
    return std::nullopt;
}

Candidates candidates(size_t begin, std::string_view word, const std::vector<std::string> &from) {
    Candidates found{begin, {}};
    for (const std::string &name : from)
        if (name.starts_with(word)) found.words.push_back(name);
    std::ranges::sort(found.words);
    found.words.erase(std::ranges::unique(found.words).begin(), found.words.end());
    return found;
}

Candidates files(size_t begin, const std::string &word) {
    const size_t slash = word.rfind('/');
    const std::string folder = slash == std::string::npos ? "" : word.substr(0, slash + 1);
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, error)) {
        std::error_code unknown;
        names.push_back(folder + entry.path().filename().string() + (entry.is_directory(unknown) ? "/" : ""));
    }
    return candidates(begin, word, names);
}

// The words up to the next parts of points, as menus of them.
Candidates next_parts(Candidates found, size_t written) {
    for (std::string &word : found.words) {
        const size_t dot = word.find('.', written);
        if (dot != std::string::npos) word.resize(dot + 1);
    }
    found.words.erase(std::ranges::unique(found.words).begin(), found.words.end());
    return found;
}

}  // namespace

void Completion::ask() {
    if (std::exchange(asked_, true)) return;
    std::istringstream functions(list_({"--dump-functions"})), aliases(list_({"--dump-probe-aliases"})),
        forms(list_({"--dump-probe-types"}));
    for (std::string line; std::getline(functions, line);)
        functions_.insert(line.substr(0, line.find_first_of(":( ")) + (line.find("()") != line.npos ? "()" : "("));
    for (std::string line; std::getline(aliases, line);)
        points_.insert(line.substr(0, line.find(" =")));
    // kernel.function(string) is completed up to its quote.
    for (std::string line; std::getline(forms, line);) {
        if (const size_t argument = line.find("(string)"); argument != std::string::npos)
            line = line.substr(0, argument + 1) + "\"";
        else if (const size_t number = line.find("(number)"); number != std::string::npos)
            line.resize(number + 1);
        points_.insert(line);
    }
}

std::vector<std::string> Completion::names() const {
    std::vector<std::string> all(functions_.begin(), functions_.end());
    for (std::string_view word : kKeywords)
        all.emplace_back(word);
    for (const Item &item : definitions_.items())
        if (item.kind == Item::Kind::Global)
            all.push_back(item.name);
        else if (item.kind == Item::Kind::Function)
            all.push_back(item.name + (item.key.ends_with("/0") ? "()" : "("));
    return all;
}

std::vector<std::string> Completion::points() const {
    std::vector<std::string> all(points_.begin(), points_.end());
    for (const Item &item : definitions_.items())
        if (item.kind == Item::Kind::Alias) all.push_back(item.name);
    return all;
}

const std::vector<std::string> &Completion::variables(const std::string &point) {
    const auto known = variables_.find(point);
    if (known != variables_.end()) return known->second;
    std::vector<std::string> &names = variables_[point];
    // Behind the point, "name:type" each.
    std::istringstream lines(list_({"-L", point}));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            const size_t colon = word.find(':');
            const size_t first = word.starts_with('$') ? 1 : 0;
            if (colon == std::string::npos || colon <= first) continue;
            if (std::all_of(word.begin() + static_cast<ptrdiff_t>(first), word.begin() + static_cast<ptrdiff_t>(colon),
                            is_word))
                names.push_back(word.substr(0, colon));
        }
    }
    return names;
}

Candidates Completion::complete(const std::string &before, std::string_view line) {
    const size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
    const size_t gap = line.find_first_of(" \t", blanks);
    if (before.empty() && gap != std::string_view::npos) {
        const std::string_view command = line.substr(blanks, gap - blanks);
        const size_t begin = std::min(line.find_first_not_of(" \t", gap), line.size());
        const std::string word(line.substr(begin));
        if (command == "load" || command == "save") return files(begin, word);
        std::vector<std::string> items;
        for (const Item &item : definitions_.items())
            items.push_back(item.name);
        if (command == "delete" || command == "edit") return candidates(begin, word, items);
    }
    ask();
    const size_t begin = word_begin(line);
    const std::string_view word = line.substr(begin);
    const std::optional<Place> place = probe_at(before + std::string(line));
    if (place && !place->in_body) {
        const size_t point = std::min(line.find_last_of(" \t,") + 1, line.size());
        return next_parts(candidates(point, line.substr(point), points()), line.size() - point);
    }
    std::vector<std::string> all;
    if (word.starts_with('@')) {
        all = syntax::at_operator_names();
        for (const Item &item : definitions_.items())
            if (item.kind == Item::Kind::Macro) all.push_back("@" + item.name);
        return candidates(begin, word, all);
    }
    if (place) all = variables(place->point);
    if (word.starts_with('$')) return candidates(begin, word, all);
    for (std::string &name : names())
        all.push_back(std::move(name));
    if (before.empty() && begin == blanks)
        for (const Command &command : commands())
            all.emplace_back(command.name);
    return candidates(begin, word, all);
}

}  // namespace tapir::interactive
