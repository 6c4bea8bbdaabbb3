// SPDX-License-Identifier: GPL-2.0-or-later
// What of a machine is in order for scripts to run: the part of --doctor that stap and staprun share.
#pragma once

#include "machine/facts.h"
#include "machine/findings.h"
#include "machine/kernel_options.h"

namespace tapir::machine {

// Whether modules may be loaded and probes are hit.
Group examine_running(const Facts &facts, const Details &details);

// One finding for each probe kind of a kernel with that configuration. `facts`: of the running kernel when that is it,
// else null.
Group examine_kinds(const std::string &config, const Facts *facts);

// All that can be said where nothing is translated, and in the end "Scripts can be run here."
std::vector<Group> examine_target(const Facts &facts, const Details &details);
std::string conclusion(const std::vector<Group> &groups);

}  // namespace tapir::machine
