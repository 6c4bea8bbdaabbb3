// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <map>
#include <string>

#include "base/diagnostics.h"
#include "ir/ir.h"
#include "resolve/program.h"

namespace tapir::ir {

struct LowerOptions {
    std::map<std::string, std::string> defines;  // -D NAME=VALUE
    bool unoptimized = false;                    // -u: evaluate unused values, too
    bool suppress_time_limits = false;           // no action budget
    bool concurrent = true;                      // handlers run beside each other
    bool weighted = false;                       // there may be a budget
    std::string arch = {};                       // as `uname -m` prints it; "": none
    std::string systemtap_v = {};                // the language level
};

// Pass 3. The program is typed and free of errors; constructs that no later pass can carry out are reported.
Module lower(const resolve::Program &program, const LowerOptions &options, Diagnostics &diagnostics);

}  // namespace tapir::ir
