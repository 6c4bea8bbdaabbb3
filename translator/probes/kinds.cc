// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/kinds.h"

#include <algorithm>
#include <set>

#include "arch/arch.h"
#include "base/name_patterns.h"
#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr ListedKind kKinds[] = {
#define TAPIR_KIND(Name, name, leaf, registers, flags) {#name, &k##Name},
#define TAPIR_POINTS(Name, name) {#name, &k##Name},
#include <tapir/kinds.def>
};

struct ParsedForm {
    const ListedKind *kind;
    size_t index;
    const Form &form() const { return kind->ops->forms[index]; }
    std::vector<FormComponent> components;
};

const std::vector<ParsedForm> &parsed_forms() {
    static const std::vector<ParsedForm> forms = [] {
        std::vector<ParsedForm> all;
        for (const ListedKind &kind : kKinds) {
            for (size_t i = 0; i < kind.ops->forms.size(); ++i)
                all.push_back({&kind, i, parse_form(kind.ops->forms[i].text)});
        }
        return all;
    }();
    return forms;
}

// A kind that does not know of options would take the number that stands for one.
void refuse_unset(const ast::ProbePoint &point, size_t before, const ResolveContext &context,
                  std::vector<Attach> &out) {
    for (const ast::PointComponent &component : point.components) {
        const std::string &option = option_of(component);
        const auto sets = [&](const Attach &attach) {
            return std::any_of(attach.from_globals.begin(), attach.from_globals.end(),
                               [&](const FromGlobal &from) { return from.name == option; });
        };
        if (option.empty() || std::all_of(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), sets)) continue;
        context.diagnostics.report(
            Tag::ProbeArgument, component.arg->at,
            "." + component.name + "() cannot be an option, which is known when the session starts");
        out.resize(before);
        return;
    }
}

void add_once(std::vector<std::string> &list, std::string text) {
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
}

// Compares arguments by presence and type, not by name.
bool takes_argument(const FormComponent &form, const ast::PointComponent &component) {
    ast::PointComponent named;
    named.name = form.name;
    if (component.arg) named.arg = ast::clone(*component.arg);
    return matches(form, named);
}

// A component of a form and the component of the pattern that it comes from. If several come from one "**", the last
// has its argument.
struct Chosen {
    const FormComponent *form;
    size_t from;
    bool argument = true;
};

ast::ProbePoint compose(const ast::ProbePoint &point, const std::vector<Chosen> &chosen) {
    ast::ProbePoint result = ast::clone(point);
    result.components.clear();
    for (const Chosen &choice : chosen) {
        const ast::PointComponent &source = point.components[choice.from];
        ast::PointComponent made;
        made.name = choice.form->name;
        made.at = source.at;
        if (source.arg && choice.argument) made.arg = ast::clone(*source.arg);
        result.components.push_back(std::move(made));
    }
    return result;
}

// Appends to `out` the points that a pattern from component `at` on can mean for the rest of a form.
void expand_form(const ast::ProbePoint &point, size_t at, const std::vector<FormComponent> &form, size_t form_at,
                 std::vector<Chosen> &chosen, std::vector<ast::ProbePoint> &out) {
    if (at == point.components.size() || form_at == form.size()) {
        if (at == point.components.size() && form_at == form.size()) out.push_back(compose(point, chosen));
        return;
    }
    const ast::PointComponent &component = point.components[at];
    const bool dotted = component.name.find("**") != std::string::npos;
    const size_t depth = chosen.size();
    std::string name;
    for (size_t next = form_at; next < form.size() && form[next].arg != FormComponent::Arg::Anything; ++next) {
        name += (next == form_at ? "" : ".") + form[next].name;
        if (glob_match(component.name, name) && takes_argument(form[next], component)) {
            chosen.push_back({&form[next], at});
            expand_form(point, at + 1, form, next + 1, chosen, out);
            chosen.pop_back();
        }
        // It continues over components that take no argument.
        if (!dotted || form[next].arg != FormComponent::Arg::None) break;
        chosen.push_back({&form[next], at, false});
    }
    chosen.resize(depth);
}

}  // namespace

std::span<const ListedKind> kinds() {
    return kKinds;
}

bool is_configured(std::string_view name, const SourceRef &at, const ResolveContext &context) {
    const machine::Feature *feature = context.option ? machine::find_feature(name) : nullptr;
    const std::string missing = feature ? machine::missing_options(*feature, context.option) : "";
    if (missing.empty()) return true;
    context.diagnostics.report(Tag::KernelOptionOff, at,
                               "the kernel was built without " + missing + ", which " + std::string(feature->title) +
                                   " need; only a kernel with it can run this");
    return false;
}

bool is_watchable(const ast::ProbePoint &point, const ResolveContext &context) {
    const arch::Arch *arch = arch::find(context.debug.arch());
    if (!arch || arch->watches_after_access) return true;
    context.diagnostics.report(Tag::ProbeUnsupported, point.components[0].at,
                               "cannot probe " + point.str() + ": on " + std::string(arch->name) +
                                   " the kernel does not let a watched access go on after a handler; probe what makes "
                                   "the access with .statement()");
    return false;
}

bool resolve(const ast::ProbePoint &point, const ResolveContext &context, std::vector<Attach> &out) {
    for (const ParsedForm &form : parsed_forms()) {
        if (!matches(form.components, point)) continue;
        const Form &text = form.form();
        if (!text.refused.empty()) {
            context.diagnostics.report(Tag::ProbeUnsupported, point.components[0].at,
                                       "cannot probe " + point.str() + ": " + std::string(text.refused));
            return true;
        }
        const size_t before = out.size();
        if (!is_configured(form.kind->name, point.components[0].at, context)) return true;
        form.kind->ops->resolve(point, form.index, context, out);
        refuse_unset(point, before, context, out);
        for (size_t i = before; i < out.size(); ++i)
            if (!is_configured(facts(out[i].kind).name, point.components[0].at, context)) {
                out.resize(before);
                break;
            }
        return true;
    }
    return false;
}

void write_number(const Attach &attach, std::string_view member, uint64_t value, Arg &out) {
    for (const FromGlobal &from : attach.from_globals)
        if (from.into == member) {
            out.setting(member, {value, from.name, from.times, from.dividend, from.least, from.most});
            return;
        }
    out.number(member, value);
}

bool stands_still(const ast::ProbePoint &point) {
    for (const ParsedForm &form : parsed_forms())
        if (matches(form.components, point)) {
            const auto ask = form.kind->ops->stands_still;
            return ask && ask(form.index);
        }
    return false;
}

Arg arg_of(const Attach &attach) {
    static constexpr const KindOps *kOps[] = {
#define TAPIR_KIND(Name, name, leaf, registers, flags) &k##Name,
#include <tapir/kinds.def>
    };
    const KindOps &ops = *kOps[static_cast<size_t>(attach.kind)];
    Arg made;
    if (ops.write_arg) ops.write_arg(attach, made);
    return made;
}

bool is_known(const ast::ProbePoint &point) {
    return std::any_of(parsed_forms().begin(), parsed_forms().end(),
                       [&](const ParsedForm &form) { return matches(form.components, point); });
}

std::vector<ast::ProbePoint> expand_names(const ast::ProbePoint &point) {
    std::vector<ast::ProbePoint> result;
    for (const ParsedForm &form : parsed_forms()) {
        if (!form.form().refused.empty()) continue;
        std::vector<Chosen> chosen;
        std::vector<ast::ProbePoint> meant;
        expand_form(point, 0, form.components, 0, chosen, meant);
        // Several "**" can share a form's components in several ways.
        std::set<std::string> known;
        for (ast::ProbePoint &one : meant)
            if (known.insert(one.str()).second) result.push_back(std::move(one));
    }
    return result;
}

std::vector<std::string> form_texts() {
    std::vector<std::string> texts;
    for (const ListedKind &kind : kKinds) {
        for (const Form &form : kind.ops->forms) {
            if (form.refused.empty()) texts.emplace_back(form.text);
        }
    }
    return texts;
}

std::vector<std::string> alternatives(const ast::ProbePoint &point, size_t depth) {
    std::vector<std::string> texts;
    for (const ParsedForm &form : parsed_forms()) {
        if (form.components.size() <= depth || form.components[depth].arg == FormComponent::Arg::Anything) continue;
        bool prefix = true;
        for (size_t i = 0; i < depth; ++i)
            prefix &= matches(form.components[i], point.components[i]);
        if (prefix) add_once(texts, form.components[depth].text());
    }
    return texts;
}

}  // namespace tapir::probes
