// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes/form.h"

#include "common/quoting.h"

namespace tapir::probes {

std::string FormComponent::text() const {
    switch (arg) {
        case Arg::Number:
            return name + "(number)";
        case Arg::String:
            return name + "(string)";
        default:
            return name;
    }
}

std::vector<FormComponent> parse_form(std::string_view text) {
    std::vector<FormComponent> form;
    while (!text.empty()) {
        std::string_view part = text.substr(0, text.find('.'));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        FormComponent component;
        component.name = part.substr(0, part.find('('));
        if (part.ends_with("(number)")) component.arg = FormComponent::Arg::Number;
        if (part.ends_with("(string)")) component.arg = FormComponent::Arg::String;
        if (part == "**") component.arg = FormComponent::Arg::Anything;
        form.push_back(std::move(component));
    }
    return form;
}

bool matches(const FormComponent &form, const ast::PointComponent &component) {
    if (form.arg == FormComponent::Arg::Anything) return true;
    if (form.name != component.name) return false;
    switch (form.arg) {
        case FormComponent::Arg::Number:
            return component.arg && component.arg->kind == ast::ExprKind::Number;
        case FormComponent::Arg::String:
            return component.arg && component.arg->kind == ast::ExprKind::String;
        default:
            return !component.arg;
    }
}

bool matches(const std::vector<FormComponent> &form, const ast::ProbePoint &point) {
    bool open = !form.empty() && form.back().arg == FormComponent::Arg::Anything;
    size_t fixed = form.size() - (open ? 1 : 0);
    if (point.components.size() < fixed || (!open && point.components.size() != fixed)) return false;
    for (size_t i = 0; i < fixed; ++i) {
        if (!matches(form[i], point.components[i])) return false;
    }
    return true;
}

int64_t number_argument(const ast::PointComponent &component) {
    return static_cast<const ast::Number &>(*component.arg).value;
}

const std::string &option_of(const ast::PointComponent &component) {
    static const std::string none;
    const bool is_number = component.arg && component.arg->kind == ast::ExprKind::Number;
    return is_number ? static_cast<const ast::Number &>(*component.arg).option : none;
}

const std::string &string_argument(const ast::PointComponent &component) {
    return static_cast<const ast::String &>(*component.arg).value;
}

std::string string_text(std::string_view name) {
    std::string text;
    for (const char c : name)
        text += (c & 0x80) != 0 ? std::string(1, c) : escape({&c, 1});
    return text;
}

bool argument_between(const ast::PointComponent &component, int64_t least, int64_t most, Diagnostics &diagnostics,
                      int64_t &value) {
    value = number_argument(component);
    if (value >= least && value <= most) return true;
    diagnostics.report(
        Tag::ProbeArgument, component.arg->at,
        "." + component.name + "() is out of range (" + std::to_string(least) + " to " + std::to_string(most) + ")");
    return false;
}

}  // namespace tapir::probes
