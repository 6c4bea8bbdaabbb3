// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 2, second half: types of everything, by inference over the whole program.
#pragma once

#include "base/diagnostics.h"
#include "resolve/program.h"

namespace tapir::types {

struct TypeOptions {
    bool autoprint =
        true;  // globals that are written but never read are printed at the end (--no-global-var-display: off)
    bool refresh = false;  // and while the session runs, each time that the global __refresh_ms says
    bool metrics = false;  // those that the script declares are told when the loader asks, and at the end
    bool monitor = false;  // all globals of the script are told then, the first elements of arrays, and can be reset
};

// Gives every expression, variable and function its type and every global its StatUse, and reports conflicts with both
// places. Adds synthetic end handlers for globals that are written but never read. False when errors were reported.
bool infer(resolve::Program &program, const TypeOptions &options, Diagnostics &diagnostics);

}  // namespace tapir::types
