// SPDX-License-Identifier: GPL-2.0-or-later
// A script that was translated by debug information runs only with the very kernel and modules that it describes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/outcome.h"
#include "module_control.h"

namespace tapir::staprun {

// Compares what the module was translated for with what is there. A kernel module that is not loaded is not looked at.
// BuildMismatch or ControlFailed is why not to start. `sysfs` is where /sys is.
Outcome<void> check_objects(Control &control, uint32_t count, const std::string &sysfs = "/sys");

}  // namespace tapir::staprun
