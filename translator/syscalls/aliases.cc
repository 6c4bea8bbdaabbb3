// SPDX-License-Identifier: GPL-2.0-or-later
#include "syscalls/aliases.h"

#include <algorithm>
#include <set>

namespace tapir::syscalls {

namespace {

constexpr std::string_view kNarrowPrefix = "compat_";

// Returns a variable's value before a call sets it.
std::string_view nothing(Form form) {
    return form == Form::Number ? "0" : "\"\"";
}

std::string assignment(const Variable &variable) {
    const std::string argument = std::to_string(variable.argument);
    switch (variable.form) {
        case Form::Number:
            return "__syscall_number(" + argument + ")";
        case Form::Text:
            return "__syscall_text(" + argument + ")";
        case Form::Unquoted:
            return "__syscall_unquoted(" + argument + ")";
        case Form::Script:
            return std::string(variable.script);
    }
    return {};
}

// At returns arguments are where they were.
bool exists(const Variable &variable, bool at_return) {
    return at_return || !variable.at_return;
}

using Defaults = std::map<std::string, Form>;

std::string body(const Call &call, bool at_return, const Defaults &defaults) {
    std::string text = "{\n\tname = __syscall_name()\n";
    if (at_return) text += "\tretval = $return\n\tretstr = __syscall_retstr()\n";
    text += "\targstr = __syscall_argstr()\n";
    std::set<std::string_view> own;
    for (const Variable &variable : call.variables)
        if (exists(variable, at_return)) own.insert(variable.name);
    // Calls of one name have the variables of all of them.
    for (const auto &[name, form] : defaults)
        if (!own.contains(name)) text += "\t" + name + " = " + std::string(nothing(form)) + "\n";
    // Values that scripts compute come behind the arguments that they use.
    for (const bool computed : {false, true})
        for (const Variable &variable : call.variables)
            if (exists(variable, at_return) && (variable.form == Form::Script) == computed)
                text += "\t" + std::string(variable.name) + " = " + assignment(variable) + "\n";
    return text + "}\n";
}

std::string point(const Entry &entry, std::string_view abi, bool at_return) {
    return "kernel.syscall(\"" + entry.name + "\")" + std::string(abi) + (at_return ? ".return" : "");
}

}  // namespace

// Entries with one body.
struct Aliases::Group {
    std::string body;
    std::vector<size_t> entries;
};

Aliases::Aliases(const Calls &calls) : calls_(calls) {
    std::map<std::string, bool> by_wildcard;
    const auto add = [&](std::string name, size_t entry, bool wildcard) {
        std::vector<size_t> &list = entries_[name];
        if (std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
        by_wildcard[name] |= wildcard;
    };
    const std::vector<Entry> &entries = calls.entries();
    for (size_t i = 0; i < entries.size(); ++i)
        add(std::string(entries[i].call.alias), i, !entries[i].by_name_only);
    std::set<std::string> narrow_names;
    // The kernel's own name of a call, where that is not the name of others.
    std::set<std::string> taken;
    for (const auto &[name, list] : entries_)
        taken.insert(name);
    for (size_t i = 0; i < entries.size(); ++i) {
        const Entry &entry = entries[i];
        if (!taken.contains(entry.name)) add(entry.name, i, false);
        const std::string narrow = std::string(kNarrowPrefix) + std::string(entry.call.alias);
        if (!entry.narrow || taken.contains(narrow)) continue;
        add(narrow, i, false);
        // Each call has one such name.
        if (!entry.by_name_only) narrow_names.insert(narrow);
    }
    // A name that wildcards mean gets no further calls: they would be meant twice.
    for (const Alias &alias : calls.table().aliases()) {
        const auto known = by_wildcard.find(std::string(alias.name));
        if (known != by_wildcard.end() && known->second) continue;
        for (size_t i : calls.find(alias.kernel, alias.narrow ? Abi::Narrow : Abi::Any))
            add(std::string(alias.name), i, false);
    }
    // Those that are not there are known by name, for scripts that name all calls.
    const auto add_absent = [&](std::string_view name, std::string_view kernel, bool narrow) {
        const Absent absent{std::string(kernel), narrow};
        if (!entries_.contains(std::string(name)) && absent_.emplace(name, absent).second)
            by_wildcard[std::string(name)] = false;
    };
    for (const Call &call : calls.table().calls())
        add_absent(call.alias, call.kernel, call.narrow);
    for (const Alias &alias : calls.table().aliases())
        add_absent(alias.name, alias.kernel, alias.narrow);
    for (const Absence &absence : calls.table().absences())
        add_absent(absence.name, absence.name, false);
    for (const auto &[name, wildcard] : by_wildcard)
        names_.push_back({name, wildcard, narrow_names.contains(name) ? kNarrowPrefix : std::string_view()});
}

// Its variables have the values of a call that does not happen.
std::string Aliases::absent_text(std::string_view root, const std::string &name, const Absent &absent,
                                 bool at_return) const {
    const std::string ending = at_return ? ".return" : "";
    const Call *call = calls_.table().find(absent.kernel, absent.narrow);
    std::string text = "probe " + std::string(root) + "." + name + ending + " = kernel.syscall(\"" + absent.kernel +
                       "\")" + (absent.narrow ? ".compat" : "") + ending + " {\n\tname = \"" +
                       (call ? std::string(call->name) : absent.kernel) + "\"\n\targstr = \"\"\n";
    if (at_return) text += "\tretval = 0\n\tretstr = \"\"\n";
    if (!call) return text + "}\n";
    for (const bool computed : {false, true})
        for (const Variable &variable : call->variables)
            if (exists(variable, at_return) && (variable.form == Form::Script) == computed)
                text += "\t" + std::string(variable.name) + " = " +
                        std::string(computed ? assignment(variable) : nothing(variable.form)) + "\n";
    return text + "}\n";
}

std::string Aliases::text(std::string_view root, const std::string &name, bool at_return) const {
    const auto found = entries_.find(name);
    if (found == entries_.end()) {
        const auto absent = absent_.find(name);
        if (absent == absent_.end()) return {};
        return absent_text(root, name, absent->second, at_return);
    }
    Defaults defaults;
    for (size_t i : found->second)
        for (const Variable &variable : calls_.entries()[i].call.variables)
            if (exists(variable, at_return) && variable.form != Form::Script)
                defaults.emplace(variable.name, variable.form);
    std::vector<Group> groups;
    for (size_t i : found->second) {
        const Entry &entry = calls_.entries()[i];
        std::string text = body(entry.call, at_return, defaults);
        // A point means all calls of its name and ABI.
        const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
            return group.body == text || std::any_of(group.entries.begin(), group.entries.end(), [&](size_t other) {
                       return calls_.entries()[other].name == entry.name &&
                              calls_.entries()[other].narrow == entry.narrow;
                   });
        });
        if (same == groups.end())
            groups.push_back({std::move(text), {i}});
        else
            same->entries.push_back(i);
    }
    std::string out;
    for (const Group &group : groups) {
        std::set<std::string> points;
        for (size_t i : group.entries) {
            const Entry &entry = calls_.entries()[i];
            const std::vector<size_t> all = calls_.find(entry.name, Abi::Any);
            const bool whole = std::all_of(all.begin(), all.end(), [&](size_t other) {
                return std::find(group.entries.begin(), group.entries.end(), other) != group.entries.end();
            });
            points.insert(point(entry, whole ? "" : entry.narrow ? ".compat" : ".native", at_return));
        }
        out += "probe " + std::string(root) + "." + name + (at_return ? ".return" : "") + " =";
        for (const std::string &one : points)
            out += (one == *points.begin() ? " " : ",\n\t") + one;
        out += " " + group.body;
    }
    return out;
}

}  // namespace tapir::syscalls
