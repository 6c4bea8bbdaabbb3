// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/complete.h"

#include <algorithm>
#include <map>

#include "complete/assignments.h"

namespace tapir::complete {

namespace {

// The components of a point, with their arguments.
std::vector<std::string> components(std::string_view point) {
    std::vector<std::string> out(1);
    int depth = 0;
    bool quoted = false;
    for (const char c : point) {
        if (c == '"') quoted = !quoted;
        if (!quoted) depth += (c == '(') - (c == ')');
        if (c == '.' && depth == 0 && !quoted)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

std::string plain(const std::string &component) {
    return component.substr(0, component.find('('));
}

// True if the components of `name` begin with those of a point that is being written.
bool begins_with(const std::vector<std::string> &name, const std::vector<std::string> &written) {
    if (name.size() <= written.size()) return false;
    for (size_t i = 0; i < written.size(); i++)
        if (plain(name[i]) != plain(written[i])) return false;
    return true;
}

bool is_declaration(const std::string &keyword) {
    return keyword == "probe" || keyword == "global" || keyword == "private" || keyword == "function";
}

std::string insertion(const Name &name) {
    if (name.kind == Kind::Point && name.name.ends_with("(string)")) return plain(name.name) + "(\"";
    if (name.kind == Kind::Point && name.name.ends_with(")")) return plain(name.name) + "(";
    if (name.kind == Kind::Function) return name.name + "(";
    return name.name;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

Place place_in(std::string_view text, size_t offset) {
    Place place = find_place(text, offset);
    if (place.wanted == Wanted::Member) follow_assignments(text, place);
    return place;
}

}  // namespace

std::vector<Name> Completer::code_names(const Place &place, const SourceFile &script) const {
    std::vector<Name> names;
    for (const std::string &name : place.names)
        names.push_back({Kind::Local, name, {}, {}, {}, 0});
    for (const Name &name : vocabulary_.variables_of(place.points))
        names.push_back(name);
    for (Name &name : names_of_script(script))
        if (name.kind != Kind::Point && name.kind != Kind::Macro) names.push_back(std::move(name));
    for (const Name &keyword : vocabulary_.names(Kind::Keyword))
        if (!is_declaration(keyword.name)) names.push_back(keyword);
    for (const Kind kind : {Kind::Function, Kind::Global})
        for (const Name &name : vocabulary_.names(kind))
            names.push_back(name);
    return names;
}

std::vector<Name> Completer::point_components(const Place &place, const SourceFile &script) const {
    std::string point = place.point;
    if (point.ends_with('.')) point.pop_back();
    const std::vector<std::string> written = point.empty() ? std::vector<std::string>{} : components(point);
    // The first with a component counts, unless a later one ends with it: that is what the component alone means.
    std::map<std::string, Name> found;
    const auto add = [&](const std::string &full, const Name &of) {
        const std::vector<std::string> parts = components(full);
        if (!begins_with(parts, written)) return;
        const std::string &next = parts[written.size()];
        if (next == "**") return;
        const bool ends = parts.size() == written.size() + 1;
        const auto [it, fresh] = found.try_emplace(next, of);
        if (!fresh && !ends) return;
        it->second = of;
        it->second.name = next;
        if (it->second.signature.empty()) it->second.signature = full;
        if (!ends)
            it->second.text.clear(), it->second.signature = point.empty() ? next + "..." : point + "." + next + "...";
    };
    for (const std::string &form : vocabulary_.forms())
        add(form, {Kind::Point, form, form, {}, {}, 0});
    for (const Name &alias : vocabulary_.names(Kind::Point))
        add(alias.name, alias);
    for (const Name &name : names_of_script(script))
        if (name.kind == Kind::Point) add(name.name, name);
    std::vector<Name> names;
    for (auto &[component, name] : found)
        names.push_back(std::move(name));
    return names;
}

std::vector<Name> Completer::candidates(const Place &place, const SourceFile &script) const {
    switch (place.wanted) {
        case Wanted::Item: {
            std::vector<Name> names;
            for (const Name &keyword : vocabulary_.names(Kind::Keyword))
                if (is_declaration(keyword.name)) names.push_back(keyword);
            return names;
        }
        case Wanted::Code:
            return code_names(place, script);
        case Wanted::Point:
            return point_components(place, script);
        case Wanted::At: {
            std::vector<Name> names = vocabulary_.names(Kind::Operator);
            for (const Name &macro : vocabulary_.names(Kind::Macro))
                names.push_back(macro);
            for (Name &name : names_of_script(script))
                if (name.kind == Kind::Macro) names.push_back(std::move(name));
            return names;
        }
        case Wanted::Condition:
            return vocabulary_.names(Kind::Fact);
        case Wanted::Target: {
            std::vector<Name> names;
            for (const char *all : {"$$vars", "$$parms", "$$locals", "$$return"})
                names.push_back({Kind::Target, all, {}, {}, {}, 0});
            if (!target_ || place.points.empty()) return names;
            for (Name &name : target_->variables(place.points))
                if (name.kind == Kind::Target) names.push_back(std::move(name));
            return names;
        }
        case Wanted::Member:
            return target_ ? target_->members(place.points, place.base) : std::vector<Name>{};
        case Wanted::Argument:
            return target_ ? target_->arguments(place.point, place.word) : std::vector<Name>{};
        case Wanted::Nothing:
            break;
    }
    return {};
}

Completion Completer::complete(const SourceFile &script, size_t offset) const {
    constexpr size_t kMost = 2000;
    const Place place = place_in(script.text(), offset);
    Completion result;
    result.begin = place.begin;
    std::map<std::string, size_t> known;
    for (Name &name : candidates(place, script)) {
        if (!name.name.starts_with(place.word)) continue;
        // One of a script hides one of the library.
        if (!known.try_emplace(name.name, result.names.size()).second) continue;
        if (result.names.size() == kMost) {
            result.whole = false;
            break;
        }
        std::string insert = place.wanted == Wanted::Argument ? name.name : insertion(name);
        result.names.push_back({std::move(name), std::move(insert)});
    }
    return result;
}

std::vector<Name> Completer::meanings(const SourceFile &script, size_t offset, std::string &word) const {
    const std::string_view text = script.text();
    size_t end = std::min(offset, text.size());
    while (end < text.size() && is_word(text[end]))
        end++;
    const Place place = place_in(text, end);
    word = place.word;
    std::vector<Name> found;
    if (place.word.empty()) return found;
    const auto take = [&](const std::vector<Name> &names) {
        for (const Name &name : names)
            if (name.name == place.word) found.push_back(name);
    };
    if (place.wanted == Wanted::Point) {
        word = place.point + place.word;
        for (const Name &name : names_of_script(script))
            if (name.kind == Kind::Point && name.name == word) found.push_back(name);
        for (const Name *name : vocabulary_.find(word))
            found.push_back(*name);
        if (found.empty())
            for (const Name &name : point_components(place, script))
                if (plain(name.name) == place.word) found.push_back(name);
        return found;
    }
    // Names of a declaration stand where completion has nothing to offer.
    take(names_of_script(script));
    if (place.wanted == Wanted::Target || place.wanted == Wanted::Member) take(candidates(place, script));
    if (found.empty())
        for (const Name *name : vocabulary_.find(place.word))
            if (name->kind != Kind::Point) found.push_back(*name);
    if (found.empty() && place.wanted == Wanted::Code) take(vocabulary_.variables_of(place.points));
    return found;
}

}  // namespace tapir::complete
