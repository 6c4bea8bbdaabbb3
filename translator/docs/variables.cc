// SPDX-License-Identifier: GPL-2.0-or-later
#include "docs/variables.h"

#include <algorithm>

#include "resolve/elaborate.h"
#include "syntax/parser.h"
#include "syscalls/aliases.h"
#include "types/infer.h"
#include "types/inference.h"

namespace tapir::docs {

namespace {

// Without arguments.
std::string dotted(const ast::ProbePoint &point) {
    std::string name;
    for (const ast::PointComponent &component : point.components)
        name += (name.empty() ? "" : ".") + component.name;
    return name;
}

// True for a system call by a root other than the first: nd_syscall.read has the variables of syscall.read.
bool is_synonym(const ast::ProbePoint &name) {
    constexpr auto &roots = syscalls::Aliases::kRoots;
    return std::find(std::begin(roots) + 1, std::end(roots), name.components[0].name) != std::end(roots);
}

// Leads every alias to "never", which can be probed on any kernel, except where it leads to another alias.
void detach(const std::vector<ast::File *> &files) {
    std::set<std::string> names;
    for (const ast::File *file : files)
        for (const auto &alias : file->aliases)
            for (const ast::ProbePoint &point : alias->names)
                names.insert(dotted(point));
    const auto known_length = [&](const ast::ProbePoint &point) {
        size_t longest = 0;
        std::string name;
        for (size_t i = 0; i < point.components.size(); ++i) {
            name += (i ? "." : "") + point.components[i].name;
            if (names.count(name)) longest = i + 1;
        }
        return longest;
    };
    for (ast::File *file : files)
        for (const auto &alias : file->aliases) {
            bool never = false;
            for (ast::ProbePoint &point : alias->points) {
                const size_t length = known_length(point);
                point.optional = point.sufficient = false;
                point.condition = nullptr;
                point.components.resize(std::max<size_t>(length, 1));
                if (length != 0) continue;
                point.components[0].name = "never";
                point.components[0].arg = nullptr;
                never = true;
            }
            // One is enough.
            bool seen = false;
            std::erase_if(alias->points, [&](const ast::ProbePoint &point) {
                const bool is_never = point.components[0].name == "never";
                const bool again = is_never && seen;
                seen |= is_never;
                return never && again;
            });
        }
}

}  // namespace

std::map<std::string, AliasVariables> find_variables(library::Library &library) {
    std::vector<ast::File *> files = library.all();
    const std::vector<ast::File *> written = library.written(false);
    files.insert(files.end(), written.begin(), written.end());
    detach(files);
    std::string text;
    for (const ast::File *file : files)
        for (const auto &alias : file->aliases)
            for (const ast::ProbePoint &name : alias->names)
                if (!is_synonym(name)) text += "probe " + name.str() + " {}\n";
    std::map<std::string, AliasVariables> found;
    if (text.empty()) return found;
    const SourceFile source("variables", text, Origin::Synthetic);
    Diagnostics diagnostics;
    syntax::ParseOptions parse;
    parse.privileged = true;
    std::vector<std::unique_ptr<ast::File>> script;
    script.push_back(syntax::parse(source, parse, diagnostics));
    resolve::ElaborateOptions options;
    options.guru = options.skip_badvars = options.listing = true;
    std::unique_ptr<resolve::Program> program = resolve::elaborate(std::move(script), library, options, diagnostics);
    types::infer(*program, {false}, diagnostics);
    for (const auto &handler : program->handlers) {
        if (handler->is_entry) continue;
        std::map<std::string, std::string> variables;
        for (const auto &local : handler->locals)
            if (local->is_written && !local->name.starts_with("_"))
                variables[local->name] = local->type == ast::Type::Unknown ? "" : types::type_word(local->type);
        const auto [place, fresh] = found.try_emplace(handler->matched);
        for (const auto &[name, type] : variables)
            place->second.anywhere.insert(name);
        if (fresh)
            place->second.everywhere = std::move(variables);
        else
            std::erase_if(place->second.everywhere,
                          [&](const auto &known) { return variables.count(known.first) == 0; });
    }
    return found;
}

}  // namespace tapir::docs
