// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the compiler, linker and make.
#pragma once

#include <string>
#include <vector>

namespace tapir::build {

struct Command {
    std::vector<std::string> argv;         // argv[0] is looked up in PATH when it has no slash
    std::string cwd;                       // "" = this process's
    std::vector<std::string> environment;  // NAME=VALUE; added to this process's, replacing equal names
};

struct Result {
    int status = 0;      // exit status; 128 + signal number; 127 when it could not be started
    std::string output;  // standard output and standard error, interleaved as written
    bool ok() const { return status == 0; }
};

// Runs a command to its end, standard input empty. Variables that would change what make and the compiler do without
// the user meaning it here (MAKEFLAGS, CROSS_COMPILE, KCFLAGS, ...) are not passed on.
Result run(const Command &command);

// The file that would be run for `name` (absolute, as found in PATH), "" if there is none.
std::string find_program(const std::string &name);

}  // namespace tapir::build
