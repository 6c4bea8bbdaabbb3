// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the compiler, linker and make.
#pragma once

#include <string>
#include <vector>

#include "common/find_program.h"
#include "common/run_program.h"

namespace tapir::build {

struct Command {
    std::vector<std::string> argv;         // argv[0] is looked up by find_tool() when it has no slash
    std::string cwd;                       // "" = this process's
    std::vector<std::string> environment;  // NAME=VALUE; added to this process's, replacing equal names
    // "" or the root of another system whose programs, libraries and settings stand in this one's place for the command
    // (usr, etc and what is not a link into usr); all other files are this machine's. Needs the right to make a mount
    // namespace: root's, or that of making a user namespace.
    std::string system = {};
};

struct Result {
    Ending ending;
    std::string output;  // standard output and standard error, interleaved as written
    bool ok() const { return ending.good(); }
    // The output without the newlines at its end.
    std::string text() const;
};

// Runs a command to its end, standard input empty; faults of run_program(). Variables that would change what make and
// the compiler do without the user meaning it here (MAKEFLAGS, CROSS_COMPILE, KCFLAGS, ...) are not passed on.
Outcome<Result> run(const Command &command);

// find_program() along $PATH, or among the files of a Command's `system`.
Outcome<std::string> find_tool(const std::string &name, const std::string &system);

// Whether a file or directory is out of sight for a command with a `system`.
bool hidden_by_system(const std::string &path);

}  // namespace tapir::build
