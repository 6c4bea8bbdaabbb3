// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of stap on standard error, in the form that its options and the terminal ask for (common/screen.h).
#pragma once

#include <cstddef>
#include <string>

#include "base/diagnostics.h"
#include "options/options.h"

namespace tapir::driver {

// As --color asks for.
Coloring coloring(const Options &options);

// Decides on the form: once, when the options are known.
Screen choose_screen(const Options &options);

// A message that no Diagnostics hold.
void tell(const Options &options, Voice voice, const std::string &text);

// Says that a program ended by a signal, or with a status that is not 0.
void tell_ending(const Options &options, const std::string &program, int signal, int status);

// The reported diagnostics, as stap shows them.
std::string shown_text(const Options &options, const Diagnostics &diagnostics, bool verbose);

// The last line of a run that failed in `pass`: "Pass 1: parse failed. ...", for people what came of it.
std::string failure_line(const Options &options, int pass, const Diagnostics &diagnostics);

}  // namespace tapir::driver
