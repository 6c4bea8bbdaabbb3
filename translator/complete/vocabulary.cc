// SPDX-License-Identifier: GPL-2.0-or-later
#include "complete/vocabulary.h"

#include <algorithm>

#include "docs/comment.h"
#include "library/tapset_index.h"
#include "probes/kinds.h"
#include "syntax/parser.h"
#include "syntax/scanner.h"

namespace tapir::complete {

namespace {

std::string paragraphs(const std::vector<docs::Paragraph> &details) {
    std::string text;
    for (const docs::Paragraph &paragraph : details)
        text += paragraph.literal ? "\n\n```\n" + paragraph.text + "\n```" : "\n\n" + paragraph.text;
    return text;
}

std::string part_line(const docs::Entry::Part &part) {
    return "\n- `" + part.name + (part.type.empty() ? "" : ":" + part.type) + "`" +
           (part.text.empty() ? "" : ": " + part.text);
}

std::string entry_text(const docs::Entry &entry) {
    std::string text = docs::capitalised(entry.summary);
    if (!entry.stands_for.empty()) text += "\n\nStands for `" + entry.stands_for + "`.";
    if (!entry.parts.empty()) text += "\n";
    for (const docs::Entry::Part &part : entry.parts)
        text += part_line(part);
    return text + paragraphs(entry.details);
}

Kind kind_of(docs::Kind kind) {
    switch (kind) {
        case docs::Kind::Probe:
            return Kind::Point;
        case docs::Kind::Macro:
            return Kind::Macro;
        case docs::Kind::Global:
            return Kind::Global;
        default:
            return Kind::Function;
    }
}

// The name of an alias without the arguments of its components.
std::string without_arguments(const std::string &point) {
    std::string out;
    int depth = 0;
    for (const char c : point) {
        if (c == '(') depth++;
        if (depth == 0) out += c;
        if (c == ')') depth--;
    }
    return out;
}

// Where a name is declared in a script: the first token of that text behind one of the words. 0: nowhere.
struct Declared {
    uint32_t line = 0;
    size_t offset = 0;
};

Declared find_declaration(std::string_view text, std::string_view name) {
    for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
        const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; };
        if (at > 0 && (is_part(text[at - 1]) || text[at - 1] == '.')) continue;
        if (at + name.size() < text.size() && is_part(text[at + name.size()])) continue;
        const size_t begin = text.rfind('\n', at) + 1;
        const std::string_view head = text.substr(begin, at - begin);
        if (head.find("global") == head.npos && head.find("function") == head.npos && head.find("probe") == head.npos &&
            head.find("private") == head.npos && head.find("@define") == head.npos && !head.empty() &&
            head.find_first_not_of(" \t,") != head.npos)
            continue;
        return {
            static_cast<uint32_t>(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
            at};
    }
    return {};
}

}  // namespace

Vocabulary::Vocabulary(const docs::Catalogue &catalogue) : forms_(probes::form_texts()) {
    for (const std::string &word : syntax::keyword_names())
        add({Kind::Keyword, word, {}, {}, {}, 0});
    for (const std::string &word : syntax::at_operator_names())
        add({Kind::Operator, word, {}, {}, {}, 0});
    for (const std::string &fact : condition_facts())
        add({Kind::Fact, fact, {}, {}, {}, 0});
    for (const docs::Family &family : catalogue.families)
        for (const docs::Entry &entry : family.entries)
            add_entry(entry);
}

void Vocabulary::add(Name name) {
    std::vector<Name> &names = names_[name.kind];
    by_name_.emplace(name.name, std::make_pair(name.kind, names.size()));
    names.push_back(std::move(name));
}

void Vocabulary::add_entry(const docs::Entry &entry) {
    Name name{kind_of(entry.kind), entry.name, entry.signature, entry_text(entry), entry.file, entry.line};
    if (name.kind == Kind::Macro) name.name = "@" + name.name;
    const auto add_variables = [this](const std::string &alias, const std::vector<docs::Entry::Part> &parts) {
        for (const docs::Entry::Part &part : parts)
            variables_.emplace(without_arguments(alias), Name{Kind::Local, part.name, part.type, part.text, {}, 0});
    };
    if (name.kind != Kind::Point) {
        add(std::move(name));
        return;
    }
    // An entry of many names: each is a point.
    if (entry.members.empty()) {
        add_variables(entry.name, entry.parts);
        add(std::move(name));
        return;
    }
    for (const docs::Entry::Member &member : entry.members) {
        Name one = name;
        one.name = one.signature = member.name;
        add_variables(member.name, entry.parts);
        add_variables(member.name, member.parts);
        add(std::move(one));
    }
}

const std::vector<Name> &Vocabulary::names(Kind kind) const {
    static const std::vector<Name> none;
    const auto found = names_.find(kind);
    return found == names_.end() ? none : found->second;
}

std::vector<const Name *> Vocabulary::find(std::string_view name) const {
    std::vector<const Name *> found;
    const auto [begin, end] = by_name_.equal_range(name);
    for (auto it = begin; it != end; ++it)
        found.push_back(&names_.at(it->second.first)[it->second.second]);
    return found;
}

std::vector<Name> Vocabulary::variables_of(std::string_view alias) const {
    std::vector<Name> found;
    const auto [begin, end] = variables_.equal_range(without_arguments(std::string(alias)));
    for (auto it = begin; it != end; ++it)
        found.push_back(it->second);
    return found;
}

std::vector<Name> names_of_script(const SourceFile &script) {
    std::vector<Name> names;
    const std::string_view text = script.text();
    const std::vector<docs::Comment> comments = docs::read_comments(text, false);
    const library::Names declared = library::scan(text);
    const auto add = [&](Kind kind, const std::string &name, const std::string &as) {
        Name one{kind, as, {}, {}, script.name(), 0};
        const Declared place = find_declaration(text, name);
        one.line = place.line;
        if (place.line) {
            const size_t begin = text.rfind('\n', place.offset) + 1;
            one.signature = text.substr(begin, std::min(text.find_first_of("\n{%", begin), text.size()) - begin);
            while (!one.signature.empty() && one.signature.back() == ' ')
                one.signature.pop_back();
            for (const docs::Comment &comment : comments)
                if (comment.next == begin) one.text = docs::capitalised(comment.summary) + paragraphs(comment.details);
        }
        names.push_back(std::move(one));
    };
    for (const std::string &name : declared.functions)
        add(Kind::Function, name, name);
    for (const std::string &name : declared.globals)
        add(Kind::Global, name, name);
    for (const std::string &name : declared.aliases)
        add(Kind::Point, name, name);
    for (const std::string &name : declared.macros)
        add(Kind::Macro, name, "@" + name);
    Diagnostics ignored;
    if (const auto head = tool::read_head(script, ignored))
        for (const tool::Option &option : head->options)
            names.push_back(
                {Kind::Option, option.name, option.long_name(), option.help, script.name(), option.at.line});
    return names;
}

const std::vector<std::string> &condition_facts() {
    static const std::vector<std::string> facts = {"kernel_v", "kernel_vr",           "arch",     "systemtap_v",
                                                   "runtime",  "systemtap_privilege", "guru_mode"};
    return facts;
}

}  // namespace tapir::complete
