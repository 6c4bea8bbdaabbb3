// SPDX-License-Identifier: GPL-2.0-or-later
// The file in which sessions share a budget (--budget-file).
#pragma once

#include <string>

#include "common/outcome.h"
#include "module_control.h"

namespace tapir::staprun {

// Has the module share its budget with all sessions that were given this file. Makes the file, for its owner only, if
// there is none. It has to be in a file system in memory, root's or the caller's, and writable by its owner only.
// SettingRefused, which says what to do.
Outcome<void> share_budget(Control &control, const std::string &path);

}  // namespace tapir::staprun
