// SPDX-License-Identifier: GPL-2.0-or-later
// Where programs are.
#pragma once

#include <string>

#include "common/outcome.h"

namespace tapir {

// $PATH as it is, or the usual directories where it is not set.
std::string search_path();

struct ProgramSearch {
    // Directories with ':' between them; an empty one is the working directory. By default $PATH, then the directories
    // of administrators' programs, which the $PATH of other users often lacks.
    std::string path = search_path() + ":/usr/sbin:/sbin";
    // "" or the root of another system that contains the directories. A link in there counts as found without being
    // followed: its target is relative to that system.
    std::string root = {};
};

// The file that is run for `name`: `name` itself if it has a '/', else the first along the path that this process may
// execute. Else ProgramMissing, or ProgramRefused of one that may not be executed; errno says why, too.
Outcome<std::string> find_program(const std::string &name, const ProgramSearch &where = {});

// Finds an executable file of that name in the directory of the running program; "" if none exists.
std::string program_beside(const std::string &name);

}  // namespace tapir
