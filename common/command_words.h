// SPDX-License-Identifier: GPL-2.0-or-later
// The words of a user's command, and whether only a shell can run it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir {

// Words of a command line as a shell would split it, quotes and backslashes removed. False if only a shell can run it:
// it has expansions, redirections, several commands or an unfinished quote, or begins with a word that is no program
// but is known to shells, such as "exit" or "cd". `words` is of no use then.
bool split_words(std::string_view command, std::vector<std::string> &words);

}  // namespace tapir
