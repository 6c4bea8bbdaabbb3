// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/declarations.h"

#include <algorithm>

#include "resolve/cause.h"
#include "resolve/pragmas.h"

namespace tapir::resolve {

Declarations::Declarations(std::vector<ast::File *> user, library::Library &library, Diagnostics &diagnostics)
    : user_(std::move(user)), user_set_(user_.begin(), user_.end()), library_(library), diagnostics_(diagnostics) {
    for (ast::File *file : user_)
        scope(*file);
    check_duplicates();
}

Declarations::Scope &Declarations::scope(const ast::File &file) {
    auto [it, fresh] = scopes_.try_emplace(&file);
    Scope &names = it->second;
    if (!fresh) return names;
    for (const auto &global : file.globals) {
        auto [place, added] = names.globals.try_emplace(global->name, global.get());
        if (!added) {
            add_cause(diagnostics_.report(Tag::DuplicateGlobal, global->at, "duplicate global name"),
                      "first declared here", place->second->at);
        }
    }
    for (const auto &interpreter : file.interpreters) {
        interpreter->frames_of->file = &file;
        names.functions.emplace(interpreter->frames_of->name, interpreter->frames_of.get());
    }
    for (const auto &function : file.functions) {
        function->file = &file;
        if (function->embedded_c) function->pragmas = read_pragmas(*function->embedded_c);
        names.functions.emplace(function->name, function.get());
    }
    return names;
}

// The script's files share one namespace: only private names may repeat.
void Declarations::check_duplicates() {
    std::map<std::string_view, const ast::Variable *> seen;
    for (const ast::File *file : user_) {
        for (const auto &global : file->globals) {
            if (global->is_private) continue;
            auto [it, fresh] = seen.try_emplace(global->name, global.get());
            if (fresh || scope(*file).globals.at(global->name) == it->second) continue;
            add_cause(diagnostics_.report(Tag::DuplicateGlobal, global->at, "duplicate global name"),
                      "first declared here", it->second->at);
        }
    }
}

void Declarations::use(const ast::File &file) {
    if (is_user(file)) return;
    if (std::find(used_library_.begin(), used_library_.end(), &file) == used_library_.end())
        used_library_.push_back(&file);
}

ast::Variable *Declarations::global(std::string_view name, const ast::File &from) {
    auto own = scope(from).globals.find(name);
    if (own != scope(from).globals.end()) {
        use(from);
        return own->second;
    }
    auto in = [&](const ast::File &file) -> ast::Variable * {
        const Scope &names = scope(file);
        auto it = names.globals.find(name);
        return it == names.globals.end() || it->second->is_private ? nullptr : it->second;
    };
    if (is_user(from)) {
        for (const ast::File *file : user_) {
            if (ast::Variable *found = in(*file)) return found;
        }
    }
    for (ast::File *file : library_.with_global(name)) {
        if (ast::Variable *found = in(*file)) {
            use(*file);
            return found;
        }
    }
    return nullptr;
}

std::vector<ast::Function *> Declarations::functions(std::string_view name, const ast::File &from) {
    std::vector<ast::Function *> result;
    auto add = [&](const ast::File &file, bool is_private) {
        auto [first, last] = scope(file).functions.equal_range(name);
        for (auto it = first; it != last; ++it) {
            if (it->second->is_private == is_private) result.push_back(it->second);
        }
    };
    add(from, true);
    if (!result.empty()) return result;
    for (const ast::File *file : user_)
        add(*file, false);
    for (const ast::File *file : library_.with_function(name))
        add(*file, false);
    return result;
}

std::vector<std::string> Declarations::function_names() const {
    std::vector<std::string> names;
    for (const ast::File *file : user_) {
        for (const auto &function : file->functions)
            names.push_back(function->name);
    }
    for (std::string &name : library_.index().function_names())
        names.push_back(std::move(name));
    return names;
}

std::vector<std::string> Declarations::global_names() const {
    std::vector<std::string> names;
    for (const ast::File *file : user_) {
        for (const auto &global : file->globals)
            names.push_back(global->name);
    }
    return names;
}

std::string Declarations::unique_name(const std::string &name, bool is_private, const ast::File &file) {
    std::string base = name;
    if (is_private && file.source) {
        std::string stem = file.source->name();
        stem = stem.substr(stem.rfind('/') + 1);
        stem = stem.substr(0, stem.find('.'));
        for (char &c : stem) {
            if (!isalnum(static_cast<unsigned char>(c))) c = '_';
        }
        base = "__private_" + stem + "_" + name;
    }
    std::string unique = base;
    for (int n = 2; !taken_.insert(unique).second; ++n)
        unique = base + "__" + std::to_string(n);
    return unique;
}

}  // namespace tapir::resolve
