// SPDX-License-Identifier: GPL-2.0-or-later
// -d: stopping and removing modules that no staprun looks after.
#pragma once

#include <string>
#include <vector>

#include "caller.h"
#include "messages.h"

namespace tapir::staprun {

// Names as in /proc/modules (a path or ".ko" is accepted too); "*" stands for all whose session is over. Returns the
// exit status.
int remove_modules(const std::vector<std::string> &names, const Caller &caller, Messages &messages);

}  // namespace tapir::staprun
