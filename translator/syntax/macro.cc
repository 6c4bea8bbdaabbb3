// SPDX-License-Identifier: GPL-2.0-or-later
#include "syntax/macro.h"

namespace tapir::syntax {

const Macro *MacroTable::find(const std::string &name) const {
    auto found = macros_.find(name);
    if (found == macros_.end() && loader_ && asked_.insert(name).second) {
        loader_(name);
        found = macros_.find(name);
    }
    return found == macros_.end() ? nullptr : &found->second;
}

bool MacroTable::add(Macro macro) {
    std::string name = macro.name;
    if (filter_ && !filter_(name)) return true;
    return macros_.emplace(std::move(name), std::move(macro)).second;
}

std::vector<std::string> MacroTable::names() const {
    std::vector<std::string> result = all_names_ ? all_names_() : std::vector<std::string>{};
    for (const auto &[name, macro] : macros_)
        result.push_back(name);
    return result;
}

}  // namespace tapir::syntax
