// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and statements of programs and libraries: process("path").function("f") and what else has a place in their
// code. By debug information, or by the symbols of a file that has none.
#include <algorithm>

#include "base/names.h"
#include "probes/code_sites.h"
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

// Every process, process(PATH), process(PID), each also with .library(PATH), can be followed by these.
constexpr std::string_view kPlaces[] = {
    "function(string)",
    "function(string).call",
    "function(string).return",
    "function(string).inline",
    "function(string).exported",
    "function(string).callee(string)",
    "function(string).callees",
    "function(string).callees(number)",
    "function(string).label(string)",
    "function(number)",
    "function(number).call",
    "function(number).return",
    "statement(string)",
    "statement(string).nearest",
    "statement(number)",
    "statement(number).absolute",
};

std::span<const Form> forms() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> all;
        for (const char *process : {"process", "process(string)", "process(number)"})
            for (const char *library : {".", ".library(string)."})
                for (std::string_view place : kPlaces)
                    all.push_back(std::string(process) + library + std::string(place));
        return all;
    }();
    static const std::vector<Form> all(texts.begin(), texts.end());
    return all;
}

// What a point says of the program, before its place.
struct Where {
    const ast::PointComponent *process;
    const ast::PointComponent *library = nullptr;
    int64_t pid = UserCode::kAll;
};

// The files that a point's program, or its library, can be; empty after a report.
std::vector<std::string> find_files(Where &where, const ResolveContext &context) {
    const ast::PointComponent &process = *where.process;
    const auto fail = [&](const ast::PointComponent &part, std::string message) {
        context.diagnostics.report(Tag::NoSuchProgram, part.arg ? part.arg->at : part.at, std::move(message));
        return std::vector<std::string>{};
    };
    std::vector<std::string> programs;
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
        if (program.empty())
            return fail(process, "there is no process " + std::to_string(where.pid) + ", or its program is not known");
        programs = {program};
    } else {
        programs = context.debug.find_programs(string_argument(process));
        if (programs.empty()) {
            const std::string &name = string_argument(process);
            const bool path = name.find('/') != std::string::npos;
            return fail(process, has_wildcard(name) ? "no file matches"
                                 : path             ? "there is no such file"
                                                    : "there is no such program in the directories of PATH");
        }
    }
    if (!where.library) return programs;
    std::vector<std::string> libraries;
    std::string error;
    for (const std::string &program : programs) {
        const target::DebugObject *object = context.debug.program(program, error);
        if (!object) continue;
        for (std::string &file : context.debug.find_libraries(string_argument(*where.library), *object))
            if (std::find(libraries.begin(), libraries.end(), file) == libraries.end())
                libraries.push_back(std::move(file));
    }
    if (libraries.empty())
        return fail(*where.library, has_wildcard(string_argument(*where.library))
                                        ? "the program is linked with no such library"
                                        : "there is no such library where the dynamic linker looks");
    return libraries;
}

// One search in one file.
class FileSearch {
  public:
    FileSearch(const CodeRequest &request, const target::DebugObject &object, const ResolveContext &context)
        : request_(request), object_(object), context_(context) {}

    std::vector<FunctionSite> find() {
        if (request_.suffix == CodeRequest::kAbsolute) return at_address();
        if (object_.index) return by_debug_information();
        if (by_symbol_enough()) return by_symbol();
        context_.diagnostics.report(Tag::ProbeUnsupported, request_.function.at,
                                    target::missing_debug_information(object_));
        return {};
    }

  private:
    std::vector<FunctionSite> by_debug_information() {
        const size_t mark = context_.diagnostics.mark();
        std::vector<FunctionSite> sites = find_code_sites(request_, object_, context_);
        if (!sites.empty() || !by_symbol_enough()) return sites;
        // Written in assembler, or linked in without debug information.
        const size_t after = context_.diagnostics.mark();
        std::vector<FunctionSite> named = by_symbol();
        context_.diagnostics.drop_since(named.empty() ? after : mark);
        return named;
    }

    bool by_symbol_enough() const {
        const bool plain = request_.suffix == CodeRequest::kAny || request_.suffix == CodeRequest::kCall ||
                           request_.suffix == CodeRequest::kReturn || request_.suffix == CodeRequest::kExported;
        return plain && !request_.statement && !request_.by_address() &&
               string_argument(request_.function).find_first_of("@:") == std::string::npos;
    }

    std::vector<FunctionSite> by_symbol() {
        const std::string &name = string_argument(request_.function);
        std::vector<FunctionSite> sites;
        std::vector<std::string> names;
        for (const dwarf::Object::FunctionSymbol &symbol : object_.object->function_symbols()) {
            names.emplace_back(symbol.name);
            if (!glob_match(name, symbol.name)) continue;
            const auto offset = object_.program->code_offset(symbol.address);
            // Several names of one place are one place.
            if (!offset || (!sites.empty() && sites.back().offset == static_cast<int64_t>(*offset))) continue;
            FunctionSite site = site_at(*offset, std::string(symbol.name));
            site.entry = true;
            sites.push_back(std::move(site));
        }
        if (sites.empty()) {
            std::sort(names.begin(), names.end());
            names.erase(std::unique(names.begin(), names.end()), names.end());
            report_no_match(request_.function, context_,
                            has_wildcard(name) ? std::vector<std::string>{} : similar_names(name, names));
        }
        return sites;
    }

    std::vector<FunctionSite> at_address() {
        const auto address = static_cast<uint64_t>(number_argument(request_.function));
        const auto offset = object_.program->code_offset(address);
        if (offset) {
            FunctionSite site = site_at(*offset, code_address_text(address));
            site.entry = false;
            return {site};
        }
        context_.diagnostics.report(Tag::NoSuchFunction, request_.function.arg->at,
                                    object_.module + " has no code at this address");
        return {};
    }

    FunctionSite site_at(uint64_t offset, std::string label) {
        FunctionSite site;
        object_.used = true;
        site.offset = static_cast<int64_t>(offset);
        site.label = std::move(label);
        site.scope = target::make_program_scope(object_);
        return site;
    }

    const CodeRequest &request_;
    const target::DebugObject &object_;
    const ResolveContext &context_;
};

// What precedes and follows a site's label in its probe point.
void write_point(const Where &where, const CodeRequest &request, const std::string &file, Attach &attach) {
    const auto &components = request.point.components;
    const std::string quote = request.suffix == CodeRequest::kAbsolute ? "" : "\"";
    attach.point_prefix = "process";
    if (where.library)
        attach.point_prefix += where.process->arg ? "(" + ast::print(*where.process->arg) + ")" : "";
    else
        attach.point_prefix += where.pid > 0 ? "(" + std::to_string(where.pid) + ")" : "(\"" + file + "\")";
    if (where.library) attach.point_prefix += ".library(\"" + file + "\")";
    attach.point_prefix += "." + request.function.name + "(" + quote;
    attach.point_suffix = quote + ")";
    for (size_t i = where.library ? 3 : 2; i < components.size(); ++i) {
        if (components[i].name == "label") continue;  // part of the sites' labels
        attach.point_suffix += "." + components[i].name;
        if (components[i].arg) attach.point_suffix += "(" + ast::print(*components[i].arg) + ")";
    }
}

void resolve_uprobe(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    Where where{&point.components[0]};
    if (point.components[1].name == "library") where.library = &point.components[1];
    const std::vector<std::string> files = find_files(where, context);
    const CodeRequest request = read_code_request(point, where.library ? 2 : 1);
    const size_t mark = context.diagnostics.mark(), before = out.size();
    for (const std::string &file : files) {
        std::string error;
        const target::DebugObject *object = context.debug.program(file, error);
        if (!object) {
            const ast::PointComponent &part = where.library ? *where.library : *where.process;
            context.diagnostics.report(Tag::NoSuchProgram, part.arg ? part.arg->at : part.at, error);
            continue;
        }
        std::vector<FunctionSite> sites = FileSearch(request, *object, context).find();
        if (sites.empty()) continue;
        Attach attach;
        attach.kind = request.suffix == CodeRequest::kReturn ? Kind::Uretprobe : Kind::Uprobe;
        attach.user = {file, where.pid};
        write_point(where, request, file, attach);
        attach.from_wildcard = sites.size() > 1 || files.size() > 1 ||
                               (!request.by_address() && has_wildcard(string_argument(request.function)));
        attach.sites = std::move(sites);
        attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
        out.push_back(std::move(attach));
    }
    // Not every file of a pattern needs to have the place.
    if (out.size() != before) context.diagnostics.drop_since(mark);
}

}  // namespace

const KindOps kUprobe = {"uprobe", forms(), resolve_uprobe};

}  // namespace tapir::probes
