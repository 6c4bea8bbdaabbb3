// SPDX-License-Identifier: GPL-2.0-or-later
// --remote: the script, or --doctor, on other hosts.
#pragma once

#include "options/options.h"

namespace tapir::driver {

// Runs on all hosts of `options` until the last has ended. Returns the exit status: 0 when all went well.
int run_remote(const Options &options, Diagnostics &diagnostics);

// How this program is called for the module that a host with kernel `release` needs; `build_id` is that kernel's,
// hexadecimal, "" if it is not known.
std::vector<std::string> remote_build_command(const Options &options, const std::string &release,
                                              const std::string &build_id);

// staprun's arguments on host `number`; `module` is its path there.
std::vector<std::string> remote_arguments(const Options &options, size_t number, const remote::Host &host,
                                          const std::string &module);

}  // namespace tapir::driver
