// SPDX-License-Identifier: GPL-2.0-or-later
// "stap --format FILE...", which formats scripts and runs none.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tapir::driver {

// True if the words behind the program's name begin with --format, and no name of a format of output follows it.
bool asks_to_format(std::span<char *const> words);

// The words behind --format: --check, --in-place or -i, and files; "-" or no file is standard input. Prints the
// scripts, or writes them back, or prints the names of those that are not formatted. The exit status is 1 if there were
// mistakes or, with --check, such names.
int format_files(const std::vector<std::string> &words);

}  // namespace tapir::driver
