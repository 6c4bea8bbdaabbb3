// SPDX-License-Identifier: GPL-2.0-or-later
// The command line of stap-prep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/outcome.h"

namespace tapir::prep {

struct PrepOptions {
    bool help = false, version = false;
    bool yes = false;                   // install without a question
    bool only_say = false;              // and do not install
    bool to_cache = false;              // of this user, in place of an installation
    bool kernel_debug = false;          // the kernel's debug information in any case
    std::optional<std::string> server;  // a build server that is asked for debug files, "" = that of the settings
    std::string release;                // "" = the running kernel
    std::vector<std::string> scripts, programs;
};

// Else Misuse. A name is that of a script if it ends with .stp, of a kernel's release if it begins with a digit and has
// no slash, and of a program otherwise.
Outcome<PrepOptions> parse_options(const std::vector<std::string> &arguments);
std::string help_text();

}  // namespace tapir::prep
