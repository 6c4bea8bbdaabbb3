// SPDX-License-Identifier: GPL-2.0-or-later
// The way out of an error that ends a script.
#pragma once

#include <string_view>

namespace tapir::staprun {

// Returns advice about a run-time error with this text; "" if the text has it already, or no advice is known.
std::string_view advice_for(std::string_view error);

}  // namespace tapir::staprun
