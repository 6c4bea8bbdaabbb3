// SPDX-License-Identifier: GPL-2.0-or-later
// Asks another stap-watch, by files of its folder, and ends it.
#pragma once

#include <string>

#include "common/outcome.h"

namespace tapir::watch {

// Lines for people. ProgramFailed: nothing watches there.
Outcome<std::string> status_text(const std::string &folder);
// Ends it, and waits for that. ProgramFailed: nothing watches there.
Outcome<void> stop_watching(const std::string &folder);

}  // namespace tapir::watch
