// SPDX-License-Identifier: GPL-2.0-or-later
// Names of debug information that are near one that it lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "target/debug_info.h"

namespace tapir::target {

enum class NameKind { Type, Variable, Enumerator };

// Up to five names of the kind in the object that `scope` describes, best first. `scope` comes from `debug`.
std::vector<std::string> near_names(NameKind kind, std::string_view name, const DebugInfo &debug, const Scope &scope);

}  // namespace tapir::target
