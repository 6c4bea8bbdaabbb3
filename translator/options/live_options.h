// SPDX-License-Identifier: GPL-2.0-or-later
// Options that show tables while a session runs: --refresh, --top, --monitor; or push metrics: --push.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace tapir::driver {

// Take the values of --refresh, --top and --monitor; "default" stands for one that was left out. Return what is wrong
// with the value, or "".
std::string take_refresh(const std::string &value, LiveOptions &live);
std::string take_top(const std::string &value, LiveOptions &live);
std::string take_monitor(const std::string &value, LiveOptions &live);
// The same of --push, whose URL stap-push reads.
std::string take_push(const std::string &value, LiveOptions &live);

// Returns messages about options that exclude each other.
std::vector<std::string> live_conflicts(const Options &options);

}  // namespace tapir::driver
