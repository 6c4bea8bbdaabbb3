// SPDX-License-Identifier: GPL-2.0-or-later
// The control group that handlers are limited to (--cgroup).
#pragma once

#include <string>

#include "common/outcome.h"
#include "module_control.h"

namespace tapir::staprun {

// Has the module run handlers only for the tasks of a group of version 2, and of those below it. `path` is that of the
// group's directory below /sys/fs/cgroup, or the group's path as /proc/PID/cgroup has it, with or without a "/" in
// front. SettingRefused. `root` is where /sys/fs/cgroup is.
Outcome<void> limit_to_group(Control &control, const std::string &path, const std::string &root = "/sys/fs/cgroup");

}  // namespace tapir::staprun
