// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/definitions.h"

#include <algorithm>
#include <cctype>

#include "common/plain_text.h"
#include "common/quoting.h"
#include "interactive/typed_tokens.h"

namespace tapir::interactive {

namespace {

// Blanks and newlines become one blank each.
std::string on_one_line(std::string_view text) {
    std::string line;
    for (char c : text)
        if (!std::isspace(static_cast<unsigned char>(c)))
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    return std::string(trim(line));
}

bool begins_item(const Lexeme &token) {
    static constexpr std::string_view kBeginnings[] = {"probe",   "global", "function",     "private",
                                                       "@define", "@table", "@interpreter", "%{"};
    return std::ranges::any_of(kBeginnings, [&](std::string_view word) {
        return word == "%{" ? token.text.starts_with(word) : token.text == word;
    });
}

// The pieces of `global a, b[9] = 1`.
std::vector<Item> part_globals(std::string_view text, const std::vector<Lexeme> &tokens, size_t first) {
    // A comment stays with the first.
    std::string keywords(trim(text.substr(0, tokens[first].begin)));
    std::vector<Item> items;
    size_t begin = first;
    for (size_t i = first; i <= tokens.size(); i++) {
        if (i < tokens.size() && (tokens[i].text != "," || tokens[i].depth)) continue;
        if (i == begin) break;
        const size_t from = tokens[begin].begin, to = i < tokens.size() ? tokens[i].begin : text.size();
        const std::string name(tokens[begin].text);
        items.push_back({Item::Kind::Global, name, "global " + name,
                         keywords + " " + std::string(trim(text.substr(from, to - from)))});
        keywords = first == 2 ? "private global" : "global";
        begin = i + 1;
    }
    return items;
}

// The number of parameters tells functions of one name apart.
std::string function_key(const std::vector<Lexeme> &tokens, size_t name) {
    size_t commas = 0, others = 0;
    for (size_t i = name + 1; i < tokens.size() && tokens[i].text != "{" && tokens[i].text != ")"; i++) {
        if (!tokens[i].depth) continue;
        (tokens[i].text == "," ? commas : others)++;
    }
    return "function " + std::string(tokens[name].text) + "/" + std::to_string(others ? commas + 1 : 0);
}

// The point of a probe, and whether an alias is made of others.
Item probe_item(std::string_view text, const std::vector<Lexeme> &tokens, size_t first) {
    Item item{Item::Kind::Probe, "", "", std::string(trim(text))};
    size_t end = text.size();
    for (size_t i = first; i < tokens.size(); i++) {
        const Lexeme &token = tokens[i];
        if (token.depth || (token.text != "{" && token.text != "=" && token.text != "+=")) continue;
        end = token.begin;
        if (token.text != "{") item.kind = Item::Kind::Alias;
        break;
    }
    if (first < tokens.size() && end > tokens[first].begin)
        item.name = on_one_line(text.substr(tokens[first].begin, end - tokens[first].begin));
    if (item.kind == Item::Kind::Alias) item.key = "alias " + item.name;
    return item;
}

// `text` is of one item, but for globals.
std::vector<Item> items_of(std::string_view text) {
    const std::vector<Lexeme> tokens = lexemes_of(text);
    const size_t keyword = !tokens.empty() && tokens[0].text == "private" ? 1 : 0, name = keyword + 1;
    const std::string whole(trim(text));
    if (name >= tokens.size()) return {{Item::Kind::Other, "", "", whole}};
    const std::string_view word = tokens[keyword].text;
    const std::string called(tokens[name].text);
    if (word == "global") return part_globals(text, tokens, name);
    if (word == "function") return {{Item::Kind::Function, called, function_key(tokens, name), whole}};
    if (word == "@define") return {{Item::Kind::Macro, called, "macro " + called, whole}};
    if (word == "probe") return {probe_item(text, tokens, name)};
    if (word == "@table" && tokens.size() > name + 1) {
        const std::string table(tokens[name + 1].text);
        return {{Item::Kind::Table, table, "table " + table, whole}};
    }
    return {{Item::Kind::Other, std::string(tokens[0].text.substr(0, 2)), "", whole}};
}

bool is_probe(const Item &item) {
    return item.kind == Item::Kind::Probe;
}

}  // namespace

std::vector<Item> part(const std::string &text) {
    const std::vector<Lexeme> tokens = lexemes_of(text);
    std::vector<size_t> begins;
    for (size_t i = 0; i < tokens.size(); i++) {
        const bool continues = i && tokens[i - 1].text == "private";
        if (!tokens[i].depth && begins_item(tokens[i]) && !continues) begins.push_back(tokens[i].begin);
    }
    if (!tokens.empty() && (begins.empty() || begins[0] != tokens[0].begin))
        begins.insert(begins.begin(), tokens[0].begin);
    // Comments above the first one are kept.
    if (!begins.empty()) begins[0] = 0;
    std::vector<Item> items;
    for (size_t i = 0; i < begins.size(); i++) {
        const size_t end = i + 1 < begins.size() ? begins[i + 1] : text.size();
        for (Item &item : items_of(std::string_view(text).substr(begins[i], end - begins[i])))
            items.push_back(std::move(item));
    }
    return items;
}

void Definitions::add(std::vector<Item> items) {
    for (Item &item : items) {
        const auto same = item.key.empty() ? items_.end() : std::ranges::find(items_, item.key, &Item::key);
        if (same == items_.end())
            items_.push_back(std::move(item));
        else
            *same = std::move(item);
    }
}

Definitions Definitions::without(const std::vector<Item> &items) const {
    Definitions others;
    for (const Item &item : items_)
        if (item.key.empty() || std::ranges::find(items, item.key, &Item::key) == items.end())
            others.items_.push_back(item);
    return others;
}

std::optional<size_t> Definitions::find(const std::string &word) const {
    uint64_t number = 0;
    if (parse_unsigned(word, number)) {
        if (number < 1 || number > items_.size()) return std::nullopt;
        return number - 1;
    }
    const auto found = std::ranges::find(items_, on_one_line(word), &Item::name);
    if (word.empty() || found == items_.end()) return std::nullopt;
    return static_cast<size_t>(found - items_.begin());
}

bool Definitions::remove(const std::string &word) {
    const std::optional<size_t> place = find(word);
    if (!place) return false;
    if (items_[*place].name != on_one_line(word))
        items_.erase(items_.begin() + static_cast<ptrdiff_t>(*place));
    else
        std::erase_if(items_, [name = items_[*place].name](const Item &item) { return item.name == name; });
    return true;
}

bool Definitions::has_probes() const {
    return std::ranges::any_of(items_, is_probe);
}

std::string Definitions::script(bool with_probes) const {
    std::string text;
    for (const Item &item : items_)
        if (with_probes || !is_probe(item)) text += item.text + "\n";
    return text;
}

}  // namespace tapir::interactive
