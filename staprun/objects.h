// SPDX-License-Identifier: GPL-2.0-or-later
// A script that was translated by debug information runs only with the very kernel and modules that it describes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/outcome.h"
#include "module_control.h"

namespace tapir::staprun {

// Compares the kernel and modules that the script was translated for with those that run. Skips kernel modules that are
// not loaded. Returns the reason not to start: BuildMismatch or ControlFailed. `sysfs` is where /sys is.
Outcome<void> check_objects(Control &control, uint32_t count, const std::string &sysfs = "/sys");

}  // namespace tapir::staprun
