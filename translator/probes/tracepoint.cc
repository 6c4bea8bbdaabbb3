// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.trace("name") and kernel.trace("system:name"), both with wildcards, and module("m").trace("name"): .tracepoint
// is the same.
#include "base/name_patterns.h"
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kTracepointForms[] = {
    {"kernel.trace(string)"},
    {"kernel.tracepoint(string)"},
    {"module(string).trace(string)"},
    {"module(string).tracepoint(string)"},
};

constexpr size_t kMaxArguments = 12;  // TAPIR_TRACE_ARGS

void report(const ast::PointComponent &component, const ResolveContext &context, std::string message) {
    context.diagnostics.report(Tag::NoSuchTracepoint, component.arg->at, std::move(message));
}

// Reports why nothing matched in the kernel itself.
void report_no_match(const ast::PointComponent &component, const ResolveContext &context) {
    const std::string &text = string_argument(component);
    const auto &all = context.debug.tracepoints();
    if (all.empty())
        return report(
            component, context,
            "the tracepoints of the kernel are not known: they are found by its BTF, which the kernel's image has, or "
            "by debug information; " +
                context.debug.missing());
    const size_t colon = text.find(':');
    const std::string name = colon == std::string::npos ? text : text.substr(colon + 1);
    std::vector<std::string> names, labels;
    // The name of another system, or one like it.
    for (const target::Tracepoint &tracepoint : all) {
        names.push_back(tracepoint.name);
        if (tracepoint.name != name) continue;
        labels.push_back(tracepoint.label());
        if (tracepoint.system.empty() && colon != std::string::npos)
            return report(component, context,
                          "no match: it is not known to which system '" + name + "' belongs, name it alone");
    }
    for (const std::string &near :
         has_wildcard(name) || !labels.empty() ? std::vector<std::string>{} : similar_names(name, names))
        for (const target::Tracepoint &tracepoint : all)
            if (tracepoint.name == near) labels.push_back(tracepoint.label());
    report(component, context, "no match" + similar_text(labels, "similar tracepoints"));
}

struct Pattern {
    std::string name;
    std::string system;  // "" is any

    explicit Pattern(const std::string &text) : name(text.substr(text.find(':') + 1)) {
        if (name.size() != text.size()) system = text.substr(0, text.find(':'));
    }
    bool matches(const target::Tracepoint &tracepoint) const {
        return glob_match(name, tracepoint.name) && (system.empty() || glob_match(system, tracepoint.system));
    }
};

// Those of the kernel itself ("") or a module that match. Whether there are any.
bool add_matches(const ast::ProbePoint &point, const std::string &module, const ResolveContext &context,
                 std::vector<Attach> &out) {
    const ast::PointComponent &component = point.components[1];
    const Pattern pattern(string_argument(component));
    const bool by_module = point.components[0].name == "module";
    bool found = false;
    for (const target::Tracepoint &tracepoint : context.debug.tracepoints(module)) {
        if (!pattern.matches(tracepoint)) continue;
        found = true;
        Attach attach;
        attach.kind = Kind::Tracepoint;
        attach.point = (by_module ? "module(\"" + module + "\")." : "kernel.") + component.name + "(\"" +
                       tracepoint.label() + "\")";
        attach.from_wildcard = has_wildcard(string_argument(component)) ||
                               (by_module && has_wildcard(string_argument(point.components[0])));
        attach.scope = context.debug.tracepoint_scope(tracepoint);
        const size_t count = attach.scope ? attach.scope->variables().size() : 0;
        if (count > kMaxArguments) {
            if (!attach.from_wildcard)
                report(component, context, "it has " + std::to_string(count) + " arguments; at most 12 can be taken");
            continue;
        }
        attach.arg = Tracepoint{tracepoint.name, module, static_cast<uint32_t>(count)};
        out.push_back(std::move(attach));
    }
    return found;
}

void resolve_in_modules(const ast::ProbePoint &point, const ResolveContext &context, std::vector<Attach> &out) {
    const ast::PointComponent &component = point.components[1];
    const std::string &wanted = string_argument(point.components[0]);
    const std::vector<std::string> modules = context.debug.modules(wanted);
    bool found = false, known = false;
    for (const std::string &module : modules) {
        found |= add_matches(point, module, context, out);
        known |= !context.debug.tracepoints(module).empty();
    }
    if (found) return;
    if (modules.empty()) return report(component, context, context.debug.missing(wanted));
    if (!known)
        return report(
            component, context,
            "module '" + modules.front() + "' has no tracepoints, as far as its BTF or its debug information tells");
    std::vector<std::string> names;
    for (const std::string &module : modules)
        for (const target::Tracepoint &tracepoint : context.debug.tracepoints(module))
            names.push_back(tracepoint.name);
    report(component, context,
           "no match" +
               similar_text(similar_names(Pattern(string_argument(component)).name, names), "similar tracepoints"));
}

void resolve_tracepoint(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    if (point.components[0].name == "module") return resolve_in_modules(point, context, out);
    if (add_matches(point, "", context, out)) return;
    // Looking into all modules would take long. Most that have a system of their own give it their name; others may
    // export the tracepoint.
    const Pattern pattern(string_argument(point.components[1]));
    if (!pattern.system.empty() && !has_wildcard(pattern.system))
        for (const std::string &module : context.debug.modules(pattern.system))
            if (add_matches(point, module, context, out)) return;
    const std::string exporter =
        has_wildcard(pattern.name) ? "" : context.debug.module_exporting("__tracepoint_" + pattern.name);
    if (!exporter.empty() && add_matches(point, exporter, context, out)) return;
    report_no_match(point.components[1], context);
}

void write_tracepoint(const Attach &attach, Arg &out) {
    const auto &tracepoint = attach.as<Tracepoint>();
    out.type("tapir_tracepoint_arg");
    out.text("name", tracepoint.name);
    out.optional_text("module", tracepoint.module);
    out.number("nargs", tracepoint.argument_count);
    out.number("wildcard", int{attach.from_wildcard});
    out.number("optional", int{attach.optional});
}

}  // namespace

const KindOps kTracepoint = {.forms = kTracepointForms, .resolve = resolve_tracepoint, .write_arg = write_tracepoint};

}  // namespace tapir::probes
