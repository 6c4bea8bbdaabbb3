// SPDX-License-Identifier: GPL-2.0-or-later
// The cost of the parts of a handler in instructions: weights.def and call_costs.def.
#pragma once

#include <string_view>

#include "cost/assumptions.h"

namespace tapir::cost::weight {

#define TAPIR_WEIGHT(Name, instructions) inline constexpr double Name = instructions;
#include "cost/weights.def"

// A call of a function of the runtime, by its name, or of a macro for memory.
double runtime_call(std::string_view name, const Sizes &sizes);

}  // namespace tapir::cost::weight
