// SPDX-License-Identifier: GPL-2.0-or-later
// Kernel functions and statements: kernel.function, module("m").function and kernel.statement by debug information, or
// by symbol where there is none; kprobe.function by symbol.
#include <algorithm>

#include "base/names.h"
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

enum Suffix : uint8_t { kAny, kCall, kReturn, kInline, kExported };

struct FunctionForm {
    Form form;
    Suffix suffix;
};

constexpr Form kForms[] = {
    {"kernel.function(string)"},
    {"kernel.function(string).call"},
    {"kernel.function(string).return"},
    {"kernel.function(string).inline"},
    {"kernel.function(string).exported"},
    {"kernel.statement(string)"},
    {"module(string).function(string)"},
    {"module(string).function(string).call"},
    {"module(string).function(string).return"},
    {"module(string).function(string).inline"},
    {"module(string).function(string).exported"},
    {"module(string).statement(string)"},
    {"kprobe.function(string)"},
    {"kprobe.function(string).call"},
    {"kprobe.function(string).return"},
    {"kernel.function(string).return.maxactive(number)"},
    {"module(string).function(string).return.maxactive(number)"},
    {"kprobe.function(string).return.maxactive(number)"},
    {"kernel.function(number).**", "functions by address are not supported yet"},
    {"kprobe.module(string).**", "functions of kernel modules are not supported yet"},
    {"kprobe.statement(number).**", "probes on addresses are not supported yet"},
    {"kernel.statement(number).**", "probes on statements by address are not supported yet"},
};

// What a point of one of the forms asks for.
struct Request {
    const ast::ProbePoint &point;
    const ast::PointComponent &function;
    std::string module;  // "" is the kernel
    Suffix suffix = kAny;
    bool statement = false;
    bool kprobe = false;
};

Request read_request(const ast::ProbePoint &point) {
    const size_t at = 1;
    Request request{point, point.components[at], {}};
    if (point.components[0].name == "module") request.module = string_argument(point.components[0]);
    request.kprobe = point.components[0].name == "kprobe";
    request.statement = point.components[at].name == "statement";
    if (point.components.size() <= at + 1) return request;
    const std::string &suffix = point.components[at + 1].name;
    request.suffix = suffix == "call" ? kCall : suffix == "return" ? kReturn : suffix == "inline" ? kInline : kExported;
    return request;
}

void report_no_match(const ast::PointComponent &component, const ResolveContext &context,
                     std::vector<std::string> similar = {}) {
    const std::string &name = string_argument(component);
    if (similar.empty() && !has_wildcard(name)) similar = context.symbols.similar(name.substr(0, name.find('@')));
    context.diagnostics.report(Tag::NoSuchFunction, component.arg->at,
                               "no match" + similar_text(similar, "similar functions"));
}

void report_unknown(const ast::PointComponent &component, const ResolveContext &context) {
    std::string message = "the names of the kernel's functions are not known, which a wildcard needs";
    for (const std::string &place : context.symbols.tried())
        message += (&place == &context.symbols.tried()[0] ? "; looked at " : ", ") + place;
    context.diagnostics.report(Tag::SymbolsUnknown, component.arg->at,
                               message + "; install the kernel's image package, or name the functions one by one");
}

FunctionSite named_site(const std::string &symbol, const ResolveContext &context) {
    FunctionSite site;
    site.symbol = site.label = symbol;
    site.scope = context.debug.entry_scope(symbol);
    return site;
}

// Sites by symbol; empty after a report.
std::vector<FunctionSite> find_symbols(const ast::PointComponent &component, const ResolveContext &context) {
    const std::string &name = string_argument(component);
    if (name.find_first_of("@:") != std::string::npos) {
        context.diagnostics.report(
            Tag::ProbeUnsupported, component.arg->at,
            "source files in function patterns are found by debug information: " + context.debug.missing());
        return {};
    }
    if (name.empty()) {
        report_no_match(component, context);
        return {};
    }
    if (!context.symbols.known()) {
        if (!has_wildcard(name)) {
            context.diagnostics.report(
                Tag::SymbolUnchecked, component.arg->at,
                "the names of the kernel's functions are not known here; whether this one exists is "
                "found out when the module is loaded");
            return {named_site(name, context)};
        }
        report_unknown(component, context);
        return {};
    }
    if (!has_wildcard(name) && context.symbols.has(name)) return {named_site(name, context)};
    std::vector<FunctionSite> found;
    if (has_wildcard(name))
        for (const std::string &symbol : context.symbols.match(name))
            found.push_back(named_site(symbol, context));
    if (found.empty()) report_no_match(component, context);
    return found;
}

// Functions written in assembler, and further names of one function, are known by their symbols only.
bool known_symbol(const ast::PointComponent &component, const ResolveContext &context) {
    const std::string &name = string_argument(component);
    if (name.find('@') != std::string::npos || !context.symbols.known()) return false;
    return has_wildcard(name) ? !context.symbols.match(name).empty() : context.symbols.has(name);
}

// "vfs_read@fs/read_write.c:450"
std::string label_of(const target::DebugObject &object, const dwarf::CodeSite &site) {
    std::string label = site.name;
    const std::string_view file = dwarf::shown_file(*object.index, site.file);
    if (!file.empty()) label += "@" + std::string(file) + ":" + std::to_string(site.line);
    return label;
}

std::vector<dwarf::CodeSite> find_code(const Request &request, const target::DebugObject &object,
                                       const ResolveContext &context) {
    std::string error;
    const auto pattern = dwarf::parse_function_pattern(string_argument(request.function), error);
    if (!pattern) {
        context.diagnostics.report(Tag::NoSuchFunction, request.function.arg->at, error);
        return {};
    }
    std::vector<dwarf::CodeSite> found;
    std::vector<std::string> near;
    if (request.statement) {
        dwarf::FoundStatements statements = dwarf::find_statements(*object.object, *object.index, *pattern);
        found = std::move(statements.sites);
        if (found.empty() && !statements.nearest.empty()) {
            std::string message = "no statement begins at this line; lines nearby that have some:";
            for (int64_t line : statements.nearest)
                message += " " + std::to_string(line);
            context.diagnostics.report(Tag::NoSuchFunction, request.function.arg->at, message);
            return {};
        }
    } else {
        dwarf::FindOptions options;
        options.calls = request.suffix != kInline;
        options.inlines = request.suffix == kInline || request.suffix == kAny;
        options.exported_only = request.suffix == kExported;
        found = dwarf::find_functions(*object.object, *object.index, *pattern, options);
    }
    if (found.empty()) report_no_match(request.function, context);
    return found;
}

std::vector<FunctionSite> find_sites(const Request &request, const target::DebugObject &object,
                                     const ResolveContext &context) {
    std::vector<FunctionSite> sites;
    for (const dwarf::CodeSite &code : find_code(request, object, context)) {
        const auto anchor = object.anchor(code.pc);
        if (!anchor) continue;
        FunctionSite site;
        site.symbol = (anchor->module.empty() ? "" : anchor->module + ":") + anchor->symbol;
        site.offset = anchor->offset;
        site.label = label_of(object, code);
        site.entry = code.at_entry;
        site.scope = target::make_scope(object, code);
        sites.push_back(std::move(site));
    }
    return sites;
}

Attach attach_of(const Request &request, const std::string &module, Kind kind, std::vector<FunctionSite> sites,
                 bool several) {
    Attach attach;
    attach.kind = kind;
    attach.kprobe = request.kprobe;
    attach.from_wildcard = has_wildcard(string_argument(request.function)) || several;
    const std::string &first = request.point.components[0].name;
    attach.point_prefix = (module.empty() ? first : "module(\"" + module + "\")") + "." + request.function.name + "(\"";
    attach.point_suffix = "\")";
    for (size_t i = 2; i < request.point.components.size(); ++i) {
        const ast::PointComponent &component = request.point.components[i];
        attach.point_suffix += "." + component.name;
        if (!component.arg) continue;
        attach.point_suffix += "(" + ast::print(*component.arg) + ")";
        if (component.name == "maxactive")
            attach.maxactive = static_cast<uint32_t>(static_cast<const ast::Number &>(*component.arg).value);
    }
    attach.sites = std::move(sites);
    attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
    return attach;
}

// Entries of functions and places within them are of different kinds.
void add(const Request &request, const std::string &module, std::vector<FunctionSite> sites, std::vector<Attach> &out) {
    const bool several = sites.size() > 1;
    std::vector<FunctionSite> entries, inner;
    for (FunctionSite &site : sites)
        (site.entry ? entries : inner).push_back(std::move(site));
    const Kind kind = request.suffix == kReturn ? Kind::Return : Kind::Function;
    if (!entries.empty()) out.push_back(attach_of(request, module, kind, std::move(entries), several));
    if (!inner.empty()) out.push_back(attach_of(request, module, Kind::Statement, std::move(inner), several));
}

void resolve_module(const Request &request, const ResolveContext &context, std::vector<Attach> &out) {
    std::vector<std::string> modules = {request.module};
    if (has_wildcard(request.module)) modules = context.debug.modules(request.module);
    for (const std::string &name : modules) {
        const target::DebugObject *object = context.debug.module(name);
        if (!object) {
            if (modules.size() == 1)
                context.diagnostics.report(Tag::NoSuchFunction, request.point.components[0].arg->at,
                                           context.debug.missing(name));
            continue;
        }
        add(request, object->module, find_sites(request, *object, context), out);
    }
    if (modules.empty())
        context.diagnostics.report(Tag::NoSuchFunction, request.point.components[0].arg->at,
                                   "no module of this kernel matches");
}

void resolve_function(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    const Request request = read_request(point);
    if (point.components[0].name == "module") return resolve_module(request, context, out);
    const target::DebugObject *kernel = request.kprobe ? nullptr : context.debug.kernel();
    if (kernel) {
        const size_t mark = context.diagnostics.mark();
        std::vector<FunctionSite> sites = find_sites(request, *kernel, context);
        if (sites.empty() && !request.statement && request.suffix != kInline &&
            known_symbol(request.function, context)) {
            context.diagnostics.drop_since(mark);
            sites = find_symbols(request.function, context);
        }
        return add(request, "", std::move(sites), out);
    }
    if (request.statement || request.suffix == kInline) {
        context.diagnostics.report(Tag::ProbeUnsupported, request.function.at, context.debug.missing());
        return;
    }
    add(request, "", find_symbols(request.function, context), out);
}

}  // namespace

const KindOps kFunction = {"function", kForms, resolve_function};

}  // namespace tapir::probes
