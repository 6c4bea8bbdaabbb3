// SPDX-License-Identifier: GPL-2.0-or-later
// The words behind a tool as options of stap.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "options/options.h"
#include "options/script_words.h"

namespace tapir::driver {

// Options of stap, by the keys of its table, with their values.
using KeyValues = std::vector<std::pair<std::string, std::string>>;

// Reads the tool's words into `options`: the values of the script's options, its arguments, and what it asks for.
// Returns the options that every tool has as those of stap. Reports what is wrong.
KeyValues take_tool_words(const ScriptWords &split, Options &options, Diagnostics &diagnostics);

// Makes `stap run` without a name a list of the tools.
void list_tools(const ScriptWords &split, const std::vector<std::string> &directories, Options &options,
                Diagnostics &diagnostics);

}  // namespace tapir::driver
