// SPDX-License-Identifier: GPL-2.0-or-later
#include "prep/script_needs.h"

#include <algorithm>
#include <string_view>

namespace tapir::prep {

namespace {

void add_once(std::vector<std::string> &names, const std::string &name) {
    if (name.empty() || name.find_first_of("*?[{") != std::string::npos) return;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

std::string text_of(const ast::PointComponent &component) {
    const auto *text = dynamic_cast<const ast::String *>(component.arg.get());
    return text ? text->value : "";
}

// Places that BTF does not know.
bool is_within_code(const ast::ProbePoint &point) {
    return std::any_of(point.components.begin(), point.components.end(), [](const ast::PointComponent &component) {
        constexpr std::string_view kNames[] = {"statement", "inline", "label", "callee", "callees"};
        return std::find(std::begin(kNames), std::end(kNames), component.name) != std::end(kNames);
    });
}

}  // namespace

void add_needs(const ast::File &script, ScriptNeeds &needs) {
    for (const auto &probe : script.probes)
        for (const ast::ProbePoint &point : probe->points) {
            if (point.components.empty()) continue;
            const ast::PointComponent &first = point.components.front();
            if (first.name == "process")
                for (const ast::PointComponent &component : point.components)
                    if (component.name == "process" || component.name == "library")
                        add_once(needs.programs, text_of(component));
            if ((first.name != "kernel" && first.name != "module") || !is_within_code(point)) continue;
            if (needs.reason.empty()) needs.reason = point.str();
            if (first.name == "module") add_once(needs.modules, text_of(first));
        }
}

}  // namespace tapir::prep
