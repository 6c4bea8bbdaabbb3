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
    // "" or the root of another system. For the command, its programs, libraries and settings replace this machine's
    // (usr, etc and other directories that are not links into usr); all other files are this machine's. Needs the right
    // to make a mount namespace: root's, or that of making a user namespace.
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

// True if a command with a `system` cannot see a file or directory.
bool hidden_by_system(const std::string &path);

}  // namespace tapir::build
