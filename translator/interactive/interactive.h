// SPDX-License-Identifier: GPL-2.0-or-later
// stap -i: definitions are typed one after the other, and probes run meanwhile.
#pragma once

#include <functional>
#include <string>

#include "base/diagnostics.h"
#include "interactive/runs.h"

namespace tapir::interactive {

struct Settings {
    Launch launch;
    std::string history;     // a file; "": none is kept
    std::string cannot_run;  // why scripts are checked only; "": they run
    bool guru = false;
    std::function<std::string(const Diagnostics &)> shown;
};

// Returns the exit status.
int interact(const Settings &settings);

}  // namespace tapir::interactive
