// SPDX-License-Identifier: GPL-2.0-or-later
// Finds similar names in debug information, for a script's name.
#include <sstream>

#include "base/name_patterns.h"
#include "resolve/targets.h"

namespace tapir::resolve {

// All captured objects outlive this and the place: a problem may be shown after all has been resolved.
void TargetResolver::suggest(target::NameKind kind, const std::string &name, const std::string &modules,
                             const std::string &prefix) {
    const target::DebugInfo *debug = place_.debug;
    if (!debug) return;
    std::vector<target::ObjectName> own;  // of the place
    if (modules.empty() && place_.scope) own.push_back({place_.scope->module(), place_.scope->user()});
    const std::string others = modules.empty() && !is_in_program() ? "kernel" : modules;
    problem_.near = [debug, kind, name, prefix, own, others]() -> std::string {
        std::vector<target::ObjectName> objects = own;
        std::istringstream list(others);
        for (std::string module; std::getline(list, module, ':');)
            if (const auto whole = debug->whole_scope(module)) objects.push_back({whole->module(), whole->user()});
        for (const target::ObjectName &object : objects) {
            std::vector<std::string> near = target::near_names(kind, name, *debug, object);
            for (std::string &found : near)
                found.insert(0, prefix);
            if (!near.empty()) return similar_text(near);
        }
        return {};
    };
}

}  // namespace tapir::resolve
