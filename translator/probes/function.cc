// SPDX-License-Identifier: GPL-2.0-or-later
// Kernel functions and statements. kernel.function, module("m").function and kernel.statement use debug information, or
// symbols without it; kprobe.function uses symbols, kprobe.statement an address.
#include <algorithm>
#include <limits>

#include "base/name_patterns.h"
#include "names/symbol_name.h"
#include "probes/code_sites.h"
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kFunctionForms[] = {
    {"kernel.function(string)"},
    {"kernel.function(string).call"},
    {"kernel.function(string).return"},
    {"kernel.function(string).return.maxactive(number)"},
    {"kernel.function(string).inline"},
    {"kernel.function(string).exported"},
    {"kernel.function(string).callee(string)"},
    {"kernel.function(string).callee(string).call"},
    {"kernel.function(string).callees"},
    {"kernel.function(string).callees(number)"},
    {"kernel.function(string).label(string)"},
    {"kernel.function(number)"},
    {"kernel.function(number).call"},
    {"kernel.function(number).return"},
    {"kernel.function(number).return.maxactive(number)"},
    {"kernel.function(number).exported"},
    {"kernel.statement(string)"},
    {"kernel.statement(string).nearest"},
    {"kernel.statement(number)"},
    {"kernel.statement(number).nearest"},
    {"kernel.statement(number).absolute"},
    {"module(string).function(string)"},
    {"module(string).function(string).call"},
    {"module(string).function(string).return"},
    {"module(string).function(string).return.maxactive(number)"},
    {"module(string).function(string).inline"},
    {"module(string).function(string).exported"},
    {"module(string).function(string).callee(string)"},
    {"module(string).function(string).callee(string).call"},
    {"module(string).function(string).callees"},
    {"module(string).function(string).callees(number)"},
    {"module(string).function(string).label(string)"},
    {"module(string).function(number)"},
    {"module(string).function(number).call"},
    {"module(string).function(number).return"},
    {"module(string).function(number).return.maxactive(number)"},
    {"module(string).function(number).exported"},
    {"module(string).statement(string)"},
    {"module(string).statement(string).nearest"},
    {"module(string).statement(number)"},
    {"module(string).statement(number).nearest"},
    {"kprobe.function(string)"},
    {"kprobe.function(string).call"},
    {"kprobe.function(string).return"},
    {"kprobe.function(string).return.maxactive(number)"},
    {"kprobe.module(string).function(string)"},
    {"kprobe.module(string).function(string).call"},
    {"kprobe.module(string).function(string).return"},
    {"kprobe.module(string).function(string).return.maxactive(number)"},
    {"kprobe.statement(number).absolute"},
};

// True if .maxactive(N), where a point has one, is in its range; 0 is the default. False after a report.
bool has_valid_maxactive(const ast::ProbePoint &point, Diagnostics &diagnostics) {
    const ast::PointComponent &last = point.components.back();
    int64_t value = 0;
    return last.name != "maxactive" ||
           argument_between(last, 0, std::numeric_limits<uint16_t>::max(), diagnostics, value);
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
        report_no_match(component, context, {});
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
            if (!is_split_off(symbol)) found.push_back(named_site(symbol, context));
    if (found.empty())
        report_no_match(component, context,
                        has_wildcard(name) ? std::vector<std::string>{} : context.symbols.similar(name));
    return found;
}

// Functions written in assembler, and further names of one function, are known by their symbols only.
bool known_symbol(const ast::PointComponent &component, const target::DebugObject &kernel,
                  const ResolveContext &context) {
    const std::string &name = string_argument(component);
    if (name.find('@') != std::string::npos || !context.symbols.known()) return false;
    if (!has_wildcard(name)) return context.symbols.has(name) && kernel.index->functions(name).empty();
    const auto functions = kernel.index->functions();
    return !context.symbols.match(name).empty() &&
           std::none_of(functions.begin(), functions.end(), [&](const dwarf::FunctionEntry &entry) {
               return glob_match(name, kernel.index->text(entry.name));
           });
}

// Writes the parts of a probe point around a site's label.
void write_point(const CodeRequest &request, const std::string &module, Attach &attach) {
    const auto &components = request.point.components;
    const std::string quote = request.suffix == CodeRequest::kAbsolute ? "" : "\"";
    const bool kprobe_module = request.kprobe && !request.module.empty();
    if (kprobe_module)
        attach.point_prefix = "kprobe.module(\"" + request.module + "\")";
    else
        attach.point_prefix = module.empty() ? components[0].name : "module(\"" + module + "\")";
    const CalleePoint callee = callee_point(request, attach.sites.front());
    attach.point_prefix += "." + request.function.name + "(" + quote + callee.before;
    attach.point_suffix = callee.behind.empty() ? quote + ")" : callee.behind;
    for (size_t i = kprobe_module ? 3 : 2; i < components.size(); ++i) {
        if (components[i].name == "label" || !callee.behind.empty()) continue;  // part of the sites' labels or callers
        attach.point_suffix += "." + components[i].name;
        if (components[i].arg) attach.point_suffix += "(" + ast::print(*components[i].arg) + ")";
        if (components[i].name == "maxactive")
            attach.as<KernelCode>().maxactive = static_cast<uint32_t>(number_argument(components[i]));
    }
}

Attach attach_of(const CodeRequest &request, const std::string &module, Kind kind, std::vector<FunctionSite> sites,
                 bool several) {
    Attach attach;
    attach.kind = kind;
    attach.arg = KernelCode{.kprobe = request.kprobe};
    attach.from_wildcard = several;
    attach.sites = std::move(sites);
    write_point(request, module, attach);
    attach.point = attach.point_prefix + attach.sites.front().label + attach.point_suffix;
    return attach;
}

// Entries of functions and places within them are of different kinds.
void add(const CodeRequest &request, const std::string &module, std::vector<FunctionSite> sites,
         std::vector<Attach> &out) {
    const bool wildcard = !request.by_address() && has_wildcard(string_argument(request.function));
    const bool several = sites.size() > 1 || wildcard || has_wildcard(request.module);
    std::vector<FunctionSite> entries, inner;
    const auto is_entry = [](const FunctionSite &site) { return site.entry; };
    entries.reserve(static_cast<size_t>(std::count_if(sites.begin(), sites.end(), is_entry)));
    inner.reserve(sites.size() - entries.capacity());
    for (FunctionSite &site : sites)
        (site.entry ? entries : inner).push_back(std::move(site));
    const Kind kind = request.suffix == CodeRequest::kReturn ? Kind::Return : Kind::Function;
    if (!entries.empty()) out.push_back(attach_of(request, module, kind, std::move(entries), several));
    for (std::vector<FunctionSite> &group : in_groups(std::move(inner)))
        out.push_back(attach_of(request, module, Kind::Statement, std::move(group), several));
}

// Functions of a module without debug information, by its file's symbols; empty after a report.
std::vector<FunctionSite> find_module_symbols(const CodeRequest &request, const std::string &name,
                                              const ResolveContext &context) {
    const std::vector<std::string> &names = context.debug.module_functions(name);
    const auto refuse = [&](const ast::PointComponent &component, const std::string &why) {
        context.diagnostics.report(Tag::NoSuchFunction, component.arg->at, why + context.debug.missing(name));
        return std::vector<FunctionSite>{};
    };
    if (names.empty() || !request.symbols_do()) return refuse(request.point.components[0], "");
    const std::string &pattern = string_argument(request.function);
    if (pattern.find_first_of("@:") != std::string::npos)
        return refuse(request.function, "source files in function patterns are found by debug information: ");
    std::string module = name;
    std::replace(module.begin(), module.end(), '-', '_');
    const bool wildcard = has_wildcard(pattern);
    std::vector<FunctionSite> found;
    for (size_t i = 0; i < names.size(); ++i) {
        if (wildcard ? !glob_match(pattern, names[i]) : names[i] != pattern) continue;
        const bool repeated = i + 1 < names.size() && names[i + 1] == names[i];
        if (repeated && !wildcard)
            return refuse(request.function,
                          "several functions have this name, which only debug information tells apart: ");
        // A wildcard continues without these.
        if (repeated || (i > 0 && names[i - 1] == names[i]) || (wildcard && names[i].find('.') != std::string::npos))
            continue;
        FunctionSite site;
        site.symbol = module + ":" + names[i];
        site.label = names[i];
        site.scope = context.debug.entry_scope(names[i], module);
        found.push_back(std::move(site));
    }
    if (found.empty())
        report_no_match(request.function, context,
                        wildcard ? std::vector<std::string>{} : target::Symbols::of(names).similar(pattern));
    return found;
}

std::vector<std::string> similar_in_modules(const CodeRequest &request,
                                            const std::vector<const target::DebugObject *> &modules) {
    if (request.by_address()) return {};
    const std::string &text = string_argument(request.function);
    const std::string name = text.substr(0, text.find('@'));
    return has_wildcard(name) ? std::vector<std::string>{} : similar_functions(name, modules);
}

// Resolves a pattern in modules without debug information that have the function. Uses their symbols if no other module
// has it; else leaves them out with a warning.
void resolve_undescribed(const CodeRequest &request, const std::vector<std::string> &modules, bool others,
                         const ResolveContext &context, std::vector<Attach> &out) {
    constexpr size_t kEnough = 5;
    // Reading the symbols of all modules of a kernel takes seconds, which only a probe is worth.
    constexpr size_t kMostForAWarning = 100;
    if (others && modules.size() > kMostForAWarning) return;
    const size_t mark = context.diagnostics.mark();
    std::vector<std::string> left_out;
    for (const std::string &module : modules) {
        std::vector<FunctionSite> sites = find_module_symbols(request, module, context);
        if (sites.empty()) continue;
        if (others)
            left_out.push_back(module);
        else
            add(request, module, std::move(sites), out);
    }
    context.diagnostics.drop_since(mark);
    if (left_out.empty()) return;
    std::string names;
    for (size_t i = 0; i < left_out.size() && i < kEnough; ++i)
        names += (i ? ", " : "") + left_out[i];
    if (left_out.size() > kEnough) names += " and " + std::to_string(left_out.size() - kEnough) + " more";
    context.diagnostics.report(Tag::WildcardIncomplete, request.point.components[0].arg->at,
                               "modules that match have such functions but no debug information, and are not probed: " +
                                   names + ". Install it, or name these modules in probes of their own");
}

bool any_functions_known(const std::vector<std::string> &modules, const ResolveContext &context) {
    return std::any_of(modules.begin(), modules.end(),
                       [&](const std::string &name) { return !context.debug.module_functions(name).empty(); });
}

void resolve_module(const CodeRequest &request, const ResolveContext &context, std::vector<Attach> &out) {
    const bool wildcard = has_wildcard(request.module);
    const std::vector<std::string> modules =
        wildcard ? context.debug.modules(request.module) : std::vector{request.module};
    const SourceRef &at = request.point.components[0].arg->at;
    const size_t mark = context.diagnostics.mark(), before = out.size();
    std::vector<const target::DebugObject *> readable;
    std::vector<std::string> undescribed;
    for (const std::string &name : modules) {
        const target::DebugObject *object = context.debug.module(name);
        if (!object && !wildcard) {
            std::vector<FunctionSite> sites = find_module_symbols(request, name, context);
            if (!sites.empty()) add(request, name, std::move(sites), out);
        }
        if (!object) {
            undescribed.push_back(name);
            continue;
        }
        readable.push_back(object);
        add(request, object->module, find_code_sites(request, *object, context), out);
    }
    if (!wildcard) return;
    // Not every module needs to have the function.
    context.diagnostics.drop_since(mark);
    if (request.symbols_do()) resolve_undescribed(request, undescribed, out.size() != before, context, out);
    if (out.size() != before) return;
    if (modules.empty())
        context.diagnostics.report(Tag::NoSuchFunction, at, "no module of this kernel matches");
    else if (readable.empty() && !(request.symbols_do() && any_functions_known(modules, context)))
        context.diagnostics.report(Tag::NoSuchFunction, at, context.debug.missing(modules.front()));
    else
        report_no_match(request.function, context, similar_in_modules(request, readable));
}

// kprobe.statement(ADDRESS).absolute, kernel.statement(ADDRESS).absolute: any code that is there when the module
// starts.
void resolve_absolute(const CodeRequest &request, std::vector<Attach> &out) {
    FunctionSite site;
    const auto address = static_cast<uint64_t>(number_argument(request.function));
    site.offset = static_cast<int64_t>(address);
    site.label = code_address_text(address);
    site.function = "";  // the symbol there at the hit
    site.entry = false;
    out.push_back(attach_of(request, "", Kind::Statement, {site}, false));
}

// kprobe.module("m").function("f"): by the module's own symbols, which are looked at again when it is there.
void resolve_module_symbol(const CodeRequest &request, const ResolveContext &context, std::vector<Attach> &out) {
    const std::string &name = string_argument(request.function);
    if (has_wildcard(name) || has_wildcard(request.module)) {
        context.diagnostics.report(Tag::ProbeUnsupported, request.function.arg->at,
                                   "wildcards in modules need debug information: use module(\"" + request.module +
                                       "\").function(\"" + name + "\")");
        return;
    }
    std::string module = request.module;
    std::replace(module.begin(), module.end(), '-', '_');
    const std::vector<std::string> &known = context.debug.module_functions(module);
    if (!known.empty() && !std::binary_search(known.begin(), known.end(), name))
        return report_no_match(request.function, context, target::Symbols::of(known).similar(name));
    FunctionSite site;
    site.symbol = module + ":" + name;
    site.label = name;
    site.scope = context.debug.entry_scope(name, module);
    // Modules have no BTF before Linux 5.11, but may have debug information.
    const target::DebugObject *object = site.scope ? nullptr : context.debug.module(module);
    if (object) {
        const size_t mark = context.diagnostics.mark();
        std::vector<FunctionSite> described = find_code_sites(request, *object, context);
        context.diagnostics.drop_since(mark);
        if (described.size() == 1) site.scope = described[0].scope;
    }
    add(request, "", {site}, out);
}

void resolve_function(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    if (!has_valid_maxactive(point, context.diagnostics)) return;
    const CodeRequest request = read_code_request(point);
    if (request.suffix == CodeRequest::kAbsolute) return resolve_absolute(request, out);
    if (!request.module.empty())
        return request.kprobe ? resolve_module_symbol(request, context, out) : resolve_module(request, context, out);
    const bool has_lines =
        !request.by_address() && string_argument(request.function).find_first_of("@:") != std::string::npos;
    const target::DebugObject *kernel = request.kprobe                       ? nullptr
                                        : has_lines || !request.symbols_do() ? context.debug.described_kernel()
                                                                             : context.debug.kernel();
    if (kernel) {
        const size_t mark = context.diagnostics.mark();
        std::vector<FunctionSite> sites = find_code_sites(request, *kernel, context);
        if (sites.empty() && request.symbols_do() && known_symbol(request.function, *kernel, context)) {
            context.diagnostics.drop_since(mark);
            sites = find_symbols(request.function, context);
        }
        if (!sites.empty()) add(request, "", std::move(sites), out);
        return;
    }
    if (!request.symbols_do()) {
        context.diagnostics.report(Tag::ProbeUnsupported, request.function.at, context.debug.missing());
        return;
    }
    add(request, "", find_symbols(request.function, context), out);
}

void write_function(const Attach &attach, Arg &out) {
    const auto &code = attach.as<KernelCode>();
    out.type("tapir_function_arg");
    write_code_sites(attach, out);
    out.number("kprobe", int{code.kprobe});
    out.number("maxactive", code.maxactive);
}

}  // namespace

const KindOps kFunction = {.forms = kFunctionForms, .resolve = resolve_function, .write_arg = write_function};
const KindOps kStatement = {.write_arg = write_function};
const KindOps kReturn = {.write_arg = write_function};

}  // namespace tapir::probes
