// SPDX-License-Identifier: GPL-2.0-or-later
// Diagnostics for people at a terminal: a label, what is wrong, and its places as windows of the source that fit.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "common/screen.h"

namespace tapir {

// As render_all(), in the form for people. `verbose` means the same.
std::string render_for_terminal(const Diagnostics &diagnostics, bool verbose, const Screen &screen);

// Counts problems that are errors, shown or not. Repeated ones count once.
size_t error_problems(const Diagnostics &diagnostics);

}  // namespace tapir
