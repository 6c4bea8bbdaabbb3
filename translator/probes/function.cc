// SPDX-License-Identifier: GPL-2.0-or-later
// Entry of kernel functions, by symbol: kernel.function("name"), with ".call", and kprobe.function("name").
#include "base/names.h"
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kForms[] = {
    {"kernel.function(string)"},
    {"kernel.function(string).call"},
    {"kprobe.function(string)"},
    {"kprobe.function(string).call"},
    {"kernel.function(string).return", "return probes are not supported yet"},
    {"kernel.function(string).return.maxactive(number)", "return probes are not supported yet"},
    {"kprobe.function(string).return", "return probes are not supported yet"},
    {"kprobe.function(string).return.maxactive(number)", "return probes are not supported yet"},
    {"kernel.function(string).inline", "inlined functions are found by debug information, which is not supported yet"},
    {"kernel.function(string).**", "only entries of functions are supported yet"},
    {"kernel.function(number).**", "functions by address are not supported yet"},
    {"kprobe.module(string).**", "functions of kernel modules are not supported yet"},
    {"kprobe.statement(number).**", "probes on addresses are not supported yet"},
    {"kernel.statement(string).**", "probes on statements are not supported yet"},
    {"kernel.statement(number).**", "probes on statements are not supported yet"},
};

void report_no_match(const ast::PointComponent &component, const ResolveContext &context) {
    const std::string &name = string_argument(component);
    std::vector<std::string> similar;
    if (!has_wildcard(name)) similar = context.symbols.similar(name);
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

// The symbols a pattern stands for; empty after a report.
std::vector<std::string> find_symbols(const ast::PointComponent &component, const ResolveContext &context) {
    const std::string &name = string_argument(component);
    if (name.find_first_of("@:") != std::string::npos) {
        context.diagnostics.report(
            Tag::ProbeUnsupported, component.arg->at,
            "source files in function patterns are found by debug information, which is not supported yet");
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
            return {name};
        }
        report_unknown(component, context);
        return {};
    }
    if (!has_wildcard(name) && context.symbols.has(name)) return {name};
    std::vector<std::string> found = has_wildcard(name) ? context.symbols.match(name) : std::vector<std::string>{};
    if (found.empty()) report_no_match(component, context);
    return found;
}

void resolve_function(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    const ast::PointComponent &function = point.components[1];
    Attach attach;
    attach.kind = Kind::Function;
    attach.symbols = find_symbols(function, context);
    if (attach.symbols.empty()) return;
    attach.kprobe = point.components[0].name == "kprobe";
    attach.from_wildcard = has_wildcard(string_argument(function));
    attach.point_prefix = point.components[0].name + ".function(\"";
    attach.point_suffix = point.components.size() > 2 ? "\").call" : "\")";
    attach.point = attach.point_prefix + attach.symbols.front() + attach.point_suffix;
    out.push_back(std::move(attach));
}

}  // namespace

const KindOps kFunction = {"function", kForms, resolve_function};

}  // namespace tapir::probes
