// SPDX-License-Identifier: GPL-2.0-or-later
// The words behind a tool's name on the command line.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tool/head.h"

namespace tapir::tool {

enum class Ask : uint8_t { Run, Help, Man, Completion, Describe };

struct Words {
    Ask ask = Ask::Run;
    std::string shell;                          // of Completion: bash, zsh or fish
    std::map<std::string, std::string> values;  // of the script's options that are given, by the names of the globals
    // Options that every tool has, by their whole names, as often as given; "" for one without a value.
    std::vector<std::pair<std::string, std::string>> driver;
    std::vector<std::string> arguments;  // for $1, $2, ... of a script that has these
};

// Values that stand before the tool's name, as stap's --option has them: names and texts.
using GivenValues = std::vector<std::pair<std::string, std::string>>;

// Reads the words by the tool's head; they win over `given`. Reports what is wrong, at the option's place in the script
// where the script has one.
Words read_words(const Head &head, const std::vector<std::string> &words, const GivenValues &given,
                 Diagnostics &diagnostics);

}  // namespace tapir::tool
