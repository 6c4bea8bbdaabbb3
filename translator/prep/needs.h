// SPDX-License-Identifier: GPL-2.0-or-later
// The parts that this machine has, and those that are missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "prep/prep_options.h"
#include "prep/script_needs.h"

namespace tapir::prep {

struct Need {
    enum class State : unsigned char { There, Missing, Optional };

    State state = State::Missing;
    std::string what;           // "headers", "debug information"
    std::string place;          // the file or directory, if it is there
    std::string package;        // that has it; "" if none is known
    std::string remark = {};    // why there is no package, or what it is good for
    std::string build_id = {};  // of a program, or of the running kernel
    std::string url = {};       // of a server that has its debug file, where no package is known; "" = none
    uint64_t bytes = 0;         // of that file, 0 = not known
};

struct Subject {
    std::string name;  // "kernel 6.1.0-56-amd64", "/usr/sbin/nginx"
    std::vector<Need> needs;
};

struct Needs {
    std::string release;
    std::vector<std::string> modules;  // that need debug information
    std::vector<Subject> subjects;
    bool kernel_debug = false;
};

// Looks at the kernel and at all programs of the options and of the scripts. Errors are reported: a script that cannot
// be read, a program that is not there.
Needs find_needs(const PrepOptions &options, Diagnostics &diagnostics);

}  // namespace tapir::prep
