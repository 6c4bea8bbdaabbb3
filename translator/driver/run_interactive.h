// SPDX-License-Identifier: GPL-2.0-or-later
// stap -i.
#pragma once

#include "options/options.h"

namespace tapir::driver {

// Returns the exit status.
int run_interactive(const Options &options);

}  // namespace tapir::driver
