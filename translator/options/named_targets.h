// SPDX-License-Identifier: GPL-2.0-or-later
// Processes and control groups of this machine by what users call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/outcome.h"

namespace tapir::driver {

// The processes of "42", "42,43" or "-42", a process group. They are looked up only if `here`: a guest or another host
// has processes of its own.
Outcome<std::vector<int64_t>> processes_of(const std::string &list, bool here);
// The processes that run the program `path`, which may be a link.
Outcome<std::vector<int64_t>> processes_running(const std::string &path);
// The path of the control group of a systemd unit, below the mount point: "nginx" and "nginx.service" are the same.
Outcome<std::string> cgroup_of_unit(const std::string &unit);
// The same of a container: its ID or the first characters of it, or its name where its control group has it.
Outcome<std::string> cgroup_of_container(const std::string &container);

}  // namespace tapir::driver
