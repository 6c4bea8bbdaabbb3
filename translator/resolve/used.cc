// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/used.h"

#include <tapir/abi.h>

#include <algorithm>

#include "base/name_patterns.h"
#include "resolve/cause.h"

namespace tapir::resolve {

namespace {

class UsedList {
  public:
    UsedList(const UsedFrom &from, std::set<const void *> &used, Program &program)
        : from_(from), used_(used), program_(program) {}
    void check_assigned_globals();
    void list_globals();
    void list_functions();
    void list_interpreters();
    void list_embedded();

  private:
    ast::Variable *assigned_global(const std::string &name);
    bool is_literal(const ast::Variable &global) const;
    void check_array_properties(const ast::Variable &global);

    const UsedFrom &from_;
    std::set<const void *> &used_;
    Program &program_;
};

void UsedList::check_assigned_globals() {
    for (const std::string &name : from_.options.assigned_globals) {
        ast::Variable *global = assigned_global(name);
        if (!global && name == "__sample_times") {
            from_.diagnostics.report(Tag::NoSuchGlobal, "--times has no effect: the script takes no samples (@sample)");
            continue;
        }
        if ((name == "__trigger_most" || name == "__trigger_until") && !(global && used_.contains(global))) {
            from_.diagnostics.report(Tag::NoSuchGlobal,
                                     std::string(name == "__trigger_most" ? "--max-events" : "--until") +
                                         " has no effect: the script has no triggers (@trigger)");
            continue;
        }
        if (!global && name == "__more_targets") {
            from_.diagnostics.report(Tag::NoSuchGlobal,
                                     "the script looks at one process, target(), and several are named");
            continue;
        }
        if (!global) {
            from_.diagnostics.report(Tag::NoSuchGlobal,
                                     "-G names '" + name +
                                         "', which is not a global variable of the script or of the tapsets" +
                                         similar_text(similar_names(name, from_.declarations.global_names())));
            continue;
        }
        global->is_written = true;
        used_.insert(global);
    }
    for (const std::string &name : from_.options.loaded_options)
        if (ast::Variable *global = assigned_global(name)) {
            global->is_written = global->is_read = true;
            used_.insert(global);
        }
}

// The script's own goes before a tapset's.
ast::Variable *UsedList::assigned_global(const std::string &name) {
    for (ast::File *file : from_.user) {
        for (const auto &candidate : file->globals)
            if (candidate->name == name) return candidate.get();
    }
    for (ast::Variable *candidate : from_.names.globals)
        if (candidate->name == name && !candidate->is_private && used_.count(candidate)) return candidate;
    return nullptr;
}

bool UsedList::is_literal(const ast::Variable &global) const {
    const std::vector<std::string> &literals = from_.options.literal_options;
    return std::find(literals.begin(), literals.end(), global.name) != literals.end();
}

void UsedList::list_globals() {
    const bool warns = !from_.diagnostics.has_errors();
    auto list = [&](const ast::File &file, bool keep) {
        for (const auto &global : file.globals) {
            const bool used = used_.count(global.get()) != 0;
            if (!used && !keep) {
                if (from_.declarations.is_user(file) && warns && !is_literal(*global)) {
                    from_.diagnostics.report(Tag::UnusedGlobal, global->at,
                                             "Eliding unused variable '" + global->name + "'");
                }
                continue;
            }
            global->unique_name = from_.declarations.unique_name(global->name, global->is_private, file);
            program_.globals.push_back(global.get());
            if (from_.declarations.is_user(file) && global->is_read && !global->is_written && !global->init &&
                !from_.assigned.contains(global.get())) {
                from_.diagnostics.report(Tag::NeverAssignedGlobal, global->at,
                                         "never-assigned global variable '" + global->name + "'");
            }
            check_array_properties(*global);
        }
    };
    for (const ast::File *file : from_.user)
        list(*file, from_.options.keep_unused);
    for (const ast::File *file : from_.declarations.used_library())
        list(*file, false);
}

// "%", a size and an age are about elements.
void UsedList::check_array_properties(const ast::Variable &global) {
    if (global.arity != 0 || (!global.wrap && !global.max_entries && !global.age)) return;
    const char *why = global.wrap          ? "wrapping not supported for scalars"
                      : global.max_entries ? "a size is for arrays only"
                                           : "an age is for arrays only";
    auto &diagnostic = from_.diagnostics.report(Tag::SizeOfScalar, global.at, why);
    auto use = from_.names.arity_at.find(&global);
    if (use != from_.names.arity_at.end()) add_cause(diagnostic, "used as a scalar here", use->second);
}

void UsedList::list_functions() {
    auto list = [&](const ast::File &file) {
        const auto add = [&](ast::Function &function) {
            if (!used_.count(&function)) return;
            function.unique_name = from_.declarations.unique_name(function.name, function.is_private, file);
            program_.functions.push_back(&function);
        };
        for (const auto &function : file.functions)
            add(*function);
        for (const auto &interpreter : file.interpreters)
            add(*interpreter->frames_of);
    };
    for (const ast::File *file : from_.user)
        list(*file);
    for (const ast::File *file : from_.declarations.used_library())
        list(*file);
}

// Each language has one.
void UsedList::list_interpreters() {
    auto list = [&](const ast::File &file) {
        for (const auto &one : file.interpreters) {
            const auto same = std::find_if(program_.interpreters.begin(), program_.interpreters.end(),
                                           [&](const ast::Interpreter *other) { return other->name == one->name; });
            if (same == program_.interpreters.end())
                program_.interpreters.push_back(one.get());
            else
                add_cause(from_.diagnostics.report(Tag::InterpreterTwice, one->at,
                                                   "another interpreter has the name \"" + one->name + "\""),
                          "it is described here", (*same)->at);
        }
    };
    for (const ast::File *file : from_.user)
        list(*file);
    for (const ast::File *file : from_.declarations.used_library())
        list(*file);
    if (program_.interpreters.size() > TAPIR_INTERPRETERS)
        from_.diagnostics.report(Tag::InterpreterTwice, program_.interpreters[TAPIR_INTERPRETERS]->at,
                                 "more than " + std::to_string(TAPIR_INTERPRETERS) + " interpreters");
}

void UsedList::list_embedded() {
    auto list = [&](const ast::File &file) {
        for (const auto &code : file.embedded)
            program_.embedded.push_back(code.get());
    };
    for (const ast::File *file : from_.user)
        list(*file);
    for (const ast::File *file : from_.declarations.used_library())
        list(*file);
}

}  // namespace

void list_used(const UsedFrom &from, std::set<const void *> &used, Program &program) {
    UsedList list(from, used, program);
    list.check_assigned_globals();
    list.list_globals();
    list.list_functions();
    list.list_interpreters();
    list.list_embedded();
}

}  // namespace tapir::resolve
