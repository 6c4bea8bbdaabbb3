// SPDX-License-Identifier: GPL-2.0-or-later
// Pass 5: handing the module to staprun, here or in a guest.
#pragma once

#include <string>
#include <vector>

#include "driver/options.h"

namespace tapir::driver {

// staprun's arguments after its own name: the options that belong to pass 5, the module, NAME=VALUE words.
std::vector<std::string> staprun_arguments(const Options &options, const std::string &module);

// Path of staprun: $SYSTEMTAP_STAPRUN, else beside this program, else "staprun" for a search in $PATH.
std::string staprun_path();

// Runs staprun with the terminal's streams; SIGINT, SIGTERM and SIGHUP are left to it. Returns its exit status, or 128
// + signal.
int run_staprun(const Options &options, const std::string &module);

}  // namespace tapir::driver
