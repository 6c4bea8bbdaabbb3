// SPDX-License-Identifier: GPL-2.0-or-later
// Where a command line has its script: the words behind a tool are the tool's, not stap's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "tool/script.h"

namespace tapir::driver {

struct ScriptWords {
    std::vector<std::string> own;              // stap's: options and a plain script with its arguments
    std::shared_ptr<const tool::Script> tool;  // null: the script is no tool
    std::vector<std::string> words;            // the tool's
    bool runs = false;                         // `stap run`
    std::string name;                          // behind it; "": no name was given
};

// Splits the words at the script. `stap run NAME` becomes the script's path, and so does `stap --cost NAME` if there is
// no file NAME; the tool is looked for in the directories of -I, then in `directories`. Reports a name that is no
// tool's, and faults in the tool's head. The limits (-D) of a tool's first line become stap's first words.
ScriptWords split_at_script(const std::vector<std::string> &words, const std::vector<std::string> &directories,
                            Diagnostics &diagnostics);

}  // namespace tapir::driver
