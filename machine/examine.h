// SPDX-License-Identifier: GPL-2.0-or-later
// Examines whether a machine can run scripts: the part of --doctor that stap and staprun share.
#pragma once

#include "machine/facts.h"
#include "machine/findings.h"
#include "machine/kernel_options.h"

namespace tapir::machine {

// Examines whether modules may be loaded and probes are hit.
Group examine_running(const Facts &facts, const Details &details);

// One finding for each probe kind of a kernel with that configuration. `facts`: of the running kernel when that is it,
// else null.
Group examine_kinds(const std::string &config, const Facts *facts);

// Returns all findings for a machine that does not translate scripts. conclusion() gives the last line: "Scripts can be
// run here."
std::vector<Group> examine_target(const Facts &facts, const Details &details);
std::string conclusion(const std::vector<Group> &groups);

// The same as a sentence for people, with the first reason. `release` is of the kernel.
Verdict verdict(const std::vector<Group> &groups, const std::string &release);

}  // namespace tapir::machine
