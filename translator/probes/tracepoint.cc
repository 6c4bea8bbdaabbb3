// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.trace("name") and kernel.trace("system:name"), both with wildcards; kernel.tracepoint is the same.
#include "base/names.h"
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kForms[] = {
    {"kernel.trace(string)"},
    {"kernel.tracepoint(string)"},
};

constexpr size_t kMaxArguments = 12;  // TAPIR_TRACE_ARGS

void report(const ast::PointComponent &component, const ResolveContext &context, std::string message) {
    context.diagnostics.report(Tag::NoSuchTracepoint, component.arg->at, std::move(message));
}

// Why nothing matched.
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

void resolve_tracepoint(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    const ast::PointComponent &component = point.components[1];
    const std::string &text = string_argument(component);
    const size_t colon = text.find(':');
    const std::string name = colon == std::string::npos ? text : text.substr(colon + 1);
    bool found = false;
    for (const target::Tracepoint &tracepoint : context.debug.tracepoints()) {
        if (!glob_match(name, tracepoint.name)) continue;
        if (colon != std::string::npos && !glob_match(text.substr(0, colon), tracepoint.system)) continue;
        found = true;
        Attach attach;
        attach.kind = Kind::Tracepoint;
        attach.point = "kernel." + component.name + "(\"" + tracepoint.label() + "\")";
        attach.tracepoint = tracepoint.name;
        attach.from_wildcard = has_wildcard(text);
        attach.scope = context.debug.tracepoint_scope(tracepoint);
        const size_t count = attach.scope ? attach.scope->variables().size() : 0;
        if (count > kMaxArguments) {
            if (!attach.from_wildcard)
                report(component, context, "it has " + std::to_string(count) + " arguments; at most 12 can be taken");
            continue;
        }
        attach.argument_count = static_cast<uint32_t>(count);
        out.push_back(std::move(attach));
    }
    if (!found) report_no_match(component, context);
}

}  // namespace

const KindOps kTracepoint = {"tracepoint", kForms, resolve_tracepoint};

}  // namespace tapir::probes
