// SPDX-License-Identifier: GPL-2.0-or-later
// Near names of debug information, for what a script names there.
#include "base/name_patterns.h"
#include "resolve/targets.h"

namespace tapir::resolve {

void TargetResolver::suggest(target::NameKind kind, const std::string &name, const std::string &modules,
                             const std::string &prefix) {
    problem_.near = [this, kind, name, modules, prefix]() -> std::string {
        for (const target::Scope *scope : scopes(modules)) {
            if (!place_.debug) break;
            std::vector<std::string> near = target::near_names(kind, name, *place_.debug, *scope);
            for (std::string &found : near)
                found.insert(0, prefix);
            if (!near.empty()) return similar_text(near);
        }
        return {};
    };
}

}  // namespace tapir::resolve
