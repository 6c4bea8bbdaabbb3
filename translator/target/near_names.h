// SPDX-License-Identifier: GPL-2.0-or-later
// Names of debug information that are near one that it lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/debug_info.h"

namespace tapir::target {

enum class NameKind { Type, Variable, Enumerator };

// Identifies the object that a scope describes.
struct ObjectName {
    std::string module;  // Scope::module()
    bool user = false;
};

// Up to five names of the kind in an object that `debug` knows, best first.
std::vector<std::string> near_names(NameKind kind, std::string_view name, const DebugInfo &debug,
                                    const ObjectName &where);

}  // namespace tapir::target
