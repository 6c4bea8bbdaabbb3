// SPDX-License-Identifier: GPL-2.0-or-later
// stap --complete WORD...: what may stand in place of the last word of its command line, for the functions of shells.
#pragma once

#include <string>
#include <vector>

namespace tapir::driver {

// Returns lines. The first is "FILL<tab>PREFIX": what the shell adds by itself (files, directories, commands or hosts,
// with PREFIX before each), "open" for words that go on, or "words". Each other line is "WORD<tab>HELP", where WORD is
// the whole last word.
std::string shell_completion(const std::vector<std::string> &words);

}  // namespace tapir::driver
