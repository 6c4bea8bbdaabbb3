// SPDX-License-Identifier: GPL-2.0-or-later
// Guesses from files what a command will map when it starts. A wrong guess only costs time.
#pragma once

#include <string>
#include <vector>

namespace tapir::staprun {

// The program of a command line, its interpreter, programs that the line or the script names, and the libraries that
// these are linked with, each once; the program is the first.
std::vector<std::string> files_of_command(const std::string &command);

}  // namespace tapir::staprun
