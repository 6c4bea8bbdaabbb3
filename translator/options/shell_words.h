// SPDX-License-Identifier: GPL-2.0-or-later
// Completion of stap's own command line in shells. The words come from the table of options and from the heads of
// tools.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tapir::driver {

struct ShellWord {
    std::string word;  // the whole word of the command line
    std::string help;
};

// Words besides those that are listed. A shell knows files, directories, commands and hosts by itself.
enum class Fill : uint8_t { Nothing, Files, Directories, Commands, Hosts, Points, Script, Releases, Processes };

struct ShellCompletion {
    std::vector<ShellWord> words;  // those that begin with the last word
    Fill fill = Fill::Nothing;
    std::string prefix;  // of the last word, in front of what fills: "--core="
    std::string value;   // the rest of it
    // Options that stand before it and decide what there is: -I and -r.
    std::vector<std::string> include_dirs;
    std::string release;
};

// `words` are those behind the program's name up to the cursor; the last one is being written and may be "". Never
// fails. Tools are looked for in the directories of -I, then in `tools`.
ShellCompletion complete_words(const std::vector<std::string> &words, const std::vector<std::string> &tools);

// Keeps the words that begin with `typed`.
void keep_beginning(std::vector<ShellWord> &words, const std::string &typed);

}  // namespace tapir::driver
