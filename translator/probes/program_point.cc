// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/program_point.h"

#include <algorithm>
#include <filesystem>

#include "base/help.h"
#include "base/name_patterns.h"
#include "common/quoting.h"
#include "probes/form.h"
#include "target/core_programs.h"

namespace tapir::probes {

namespace {

// The paths of the files; empty after a report.
std::vector<std::string> find_files(Where &where, const ResolveContext &context) {
    const ast::PointComponent &process = *where.process;
    const auto fail = [&](const ast::PointComponent &part, std::string message) {
        context.diagnostics.report(Tag::NoSuchProgram, part.arg ? part.arg->at : part.at, std::move(message));
        return std::vector<std::string>{};
    };
    std::vector<std::string> programs;
    const target::Subject &subject = context.debug.subject();
    const auto fail_name = [&](const ast::PointComponent &part, const std::string &name) {
        const target::NotFound found = subject.why_none(name);
        fail(part, found.why);
        if (!found.help.empty()) add_help(*context.diagnostics.all().back(), found.help);
        return std::vector<std::string>{};
    };
    if (subject.stands_still() && where.library) {
        programs = context.debug.find_programs(string_argument(*where.library));
        return programs.empty() ? fail_name(*where.library, string_argument(*where.library)) : programs;
    }
    if (!process.arg) {
        where.pid = UserCode::kTarget;
        const target::ProgramTarget &target = context.debug.target();
        if (target.program.empty())
            return fail(process, target.missing.empty() ? "which process? Name a program, process(\"PATH\"), or a "
                                                          "command or process for the whole run with -c or -x"
                                                        : target.missing);
        programs = {target.program};
    } else if (process.arg->kind == ast::ExprKind::Number) {
        where.pid = number_argument(process);
        const std::string program = context.debug.program_of_process(where.pid);
        if (program.empty()) return fail(process, subject.why_no_program(where.pid));
        programs = {program};
    } else {
        programs = context.debug.find_programs(string_argument(process));
        if (programs.empty()) return fail_name(process, string_argument(process));
    }
    if (!where.library) return programs;
    const std::string &name = string_argument(*where.library);
    const int64_t pid = where.pid == UserCode::kTarget ? context.debug.target().pid : where.pid;
    std::vector<std::string> libraries;
    if (pid > 0) libraries = context.debug.find_mapped_libraries(name, pid);
    if (!libraries.empty()) return libraries;
    std::string error;
    const target::DebugObject *object = nullptr;
    for (const std::string &program : programs) {
        object = context.debug.program(program, error);
        if (!object) continue;
        for (std::string &file : context.debug.find_libraries(name, *object))
            if (std::find(libraries.begin(), libraries.end(), file) == libraries.end())
                libraries.push_back(std::move(file));
    }
    if (!libraries.empty()) return libraries;
    if (has_wildcard(name)) return fail(*where.library, "the program is linked with no such library");
    return fail(
        *where.library,
        "there is no such library where the dynamic linker looks" +
            (object ? similar_text(target::similar_libraries(name, *object->object), "similar libraries") : ""));
}

}  // namespace

ProgramForms::ProgramForms(std::span<const std::string_view> places) {
    for (const char *process : {"process", "process(string)", "process(number)"})
        for (const char *library : {".", ".library(string)."})
            for (std::string_view place : places)
                texts_.push_back(std::string(process) + library + std::string(place));
    for (const std::string &text : texts_)
        forms_.push_back({text});
}

Where read_program(const ast::ProbePoint &point, size_t &at) {
    Where where{&point.components[0]};
    if (point.components[1].name == "library") where.library = &point.components[1];
    at = where.library ? 2 : 1;
    return where;
}

std::vector<const target::DebugObject *> find_program_files(Where &where, const ResolveContext &context) {
    std::vector<const target::DebugObject *> objects;
    const std::vector<std::string> files = find_files(where, context);
    std::string error;
    for (const std::string &file : files)
        if (const target::DebugObject *object = context.debug.program(file, error)) objects.push_back(object);
    if (objects.empty() && !files.empty()) {
        const ast::PointComponent &part = where.library ? *where.library : *where.process;
        context.diagnostics.report(Tag::NoSuchProgram, part.arg ? part.arg->at : part.at, error);
    }
    return objects;
}

std::vector<Processes> find_processes(const ast::PointComponent &process, const ResolveContext &context,
                                      bool one_program) {
    if (!process.arg) {
        const target::ProgramTarget none, &target = one_program ? context.debug.target() : none;
        std::string error;
        const target::DebugObject *program =
            target.program.empty() ? nullptr : context.debug.program(target.program, error);
        return {{{"", UserCode::kTarget}, program, false, "process."}};
    }
    Where where{&process};
    std::vector<Processes> found;
    const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
    for (const target::DebugObject *object : objects) {
        if (where.pid > 0) return {{{"", where.pid}, object, false, program_prefix(where, *object)}};
        object->named = true;
        found.push_back({{object->module, where.pid}, object, objects.size() > 1, program_prefix(where, *object)});
    }
    return found;
}

std::string program_prefix(const Where &where, const target::DebugObject &object) {
    const std::string file = "(\"" + string_text(object.module) + "\")";
    std::string text = "process";
    if (!where.library) return text + (where.pid > 0 ? "(" + std::to_string(where.pid) + ")" : file) + ".";
    if (where.process->arg) text += "(" + ast::print(*where.process->arg) + ")";
    return text + ".library" + file + ".";
}

}  // namespace tapir::probes
