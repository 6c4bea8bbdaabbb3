// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/system_call_entries.h"

#include <algorithm>
#include <set>

#include "ast/walk.h"

namespace tapir::docs {

namespace {

constexpr std::string_view kRoot = "syscall.";
constexpr std::string_view kReturn = ".return";

using Parts = std::vector<Entry::Part>;

const Entry::Part kOfCalls[] = {
    {"name", "string", "name of the call, as scripts know it"},
    {"argstr", "string",
     "all arguments in one text, as strace shows them, as far as they are known when the call begins"},
};
const Entry::Part kOfReturns[] = {
    {"retval", "long", "what the call returns; of a failed one, minus the error number"},
    {"retstr", "string", "the same as text, with the error's name: \"3\", \"-2 (ENOENT)\""},
};

Parts common(bool at_return) {
    Parts parts(std::begin(kOfCalls), std::end(kOfCalls));
    if (at_return) parts.insert(parts.end(), std::begin(kOfReturns), std::end(kOfReturns));
    return parts;
}

bool contains(const Parts &parts, const std::string &name) {
    return std::any_of(parts.begin(), parts.end(), [&](const Entry::Part &part) { return part.name == name; });
}

// The variables of an alias besides `known`, in the order of its body.
Parts besides(const Parts &known, const std::vector<const ast::Alias *> &aliases, const AliasVariables &variables) {
    Parts parts;
    for (const ast::Alias *alias : aliases)
        ast::each_expr(*alias->body, [&](ast::Expr &e) {
            if (e.kind != ast::ExprKind::Assign) return;
            const ast::Expr &target = *static_cast<ast::Assign &>(e).target;
            if (target.kind != ast::ExprKind::VarRef) return;
            const std::string &name = static_cast<const ast::VarRef &>(target).name;
            const auto visible = variables.everywhere.find(name);
            if (visible != variables.everywhere.end() && !contains(known, name) && !contains(parts, name))
                parts.push_back({name, visible->second, ""});
        });
    return parts;
}

std::string origin(const target::Kernel *kernel) {
    const std::string others =
        "`stap -l 'syscall.*'` lists the calls of a kernel, `stap -L 'syscall.*'` their variables.";
    if (kernel)
        return "The calls below are those of Linux " + kernel->release + " on " + kernel->arch +
               ", by its headers and the tables of the library. Other kernels have others: " + others;
    return "The calls below are those that the tables of the library describe, whichever kernel has them. Other calls, "
           "with "
           "variables by the names of their arguments, come from the headers of the kernel that a script is translated "
           "for: " +
           others;
}

Entry entry_for(const char *name, const char *summary, bool at_return) {
    Entry entry;
    entry.kind = Kind::Probe;
    entry.name = entry.signature = name;
    entry.summary = summary;
    entry.parts = common(at_return);
    return entry;
}

Entry calls_entry(const target::Kernel *kernel) {
    Entry entry = entry_for("syscall.NAME", "a process makes a system call.", false);
    entry.details = {
        {"`nd_syscall.NAME`, `dw_syscall.NAME` and `tp_syscall.NAME` mean the same. NAME may have wildcards; calls of "
         "32-bit "
         "programs have the names of those of 64-bit programs."},
        {"Besides the variables that all have, there is one for each argument, and for many another with its text: the "
         "number is "
         "VARIABLE or, of an address, VARIABLE_uaddr; the text VARIABLE_str or, of a string, VARIABLE, in quotes, and "
         "VARIABLE_unquoted. The kernel's own names of the arguments ($fd) can be read as well. A variable that only "
         "another of "
         "several calls of one name has is 0 or \"\"."},
        {origin(kernel)},
    };
    return entry;
}

Entry returns_entry() {
    Entry entry = entry_for("syscall.NAME.return", "a system call returns to the process that made it.", true);
    entry.details = {
        {"The variables of `syscall.NAME` can be read at the return, too: arguments are still what they were, memory "
         "that "
         "they point to is read now. Calls below have more of them at their return."}};
    return entry;
}

}  // namespace

std::vector<Entry> describe_system_calls(library::Library &library,
                                         const std::map<std::string, AliasVariables> &variables,
                                         const target::Kernel *kernel) {
    std::map<std::string, std::vector<const ast::Alias *>> aliases;
    for (const ast::File *file : library.written(false))
        for (const auto &alias : file->aliases)
            for (const ast::ProbePoint &name : alias->names)
                if (name.str().starts_with(kRoot)) aliases[name.str()].push_back(alias.get());
    Entry calls = calls_entry(kernel), returns = returns_entry();
    for (const auto &[name, list] : aliases) {
        const auto known = variables.find(name), at_return = variables.find(name + std::string(kReturn));
        if (name.ends_with(kReturn) || known == variables.end()) continue;
        calls.members.push_back({name, besides(calls.parts, list, known->second)});
        if (at_return == variables.end()) continue;
        Parts seen = calls.members.back().parts;
        seen.insert(seen.end(), returns.parts.begin(), returns.parts.end());
        Parts more = besides(seen, aliases.at(at_return->first), at_return->second);
        if (!more.empty()) returns.members.push_back({at_return->first, std::move(more)});
    }
    if (calls.members.empty()) return {};
    return {std::move(calls), std::move(returns)};
}

}  // namespace tapir::docs
