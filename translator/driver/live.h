// SPDX-License-Identifier: GPL-2.0-or-later
// Tables that are shown while a script runs, and metrics that are pushed: stap-live or stap-push runs this program once
// more, for its records.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// If one of them runs this program, makes it write records, and learns where commands for the session come from.
void take_live_descriptor(Options &options);

// Does stap-live have to run what the options ask for?
bool is_shown_live(const Options &options);

// Has stap-live run the command line. Returns the exit status. The terminal is left as it was.
int show_live(const Options &options, const std::vector<std::string> &argv);

// The same of stap-push.
bool is_pushed(const Options &options);
int push(const Options &options, const std::vector<std::string> &argv);

}  // namespace tapir::driver
