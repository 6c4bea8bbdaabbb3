// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the commands that kbuild saved next to each file it made (.NAME.cmd).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::build {

// One simple command: its words after shell quoting is undone.
using Words = std::vector<std::string>;

// "cmd_TARGET := ..." or "savedcmd_TARGET := ..." of a .cmd file.
struct SavedCommand {
    std::string target;
    std::vector<Words> commands;  // those separated by ";" or "&&", in order, without empty ones and "true"
};

// Nothing when the text has no saved command, or one that does more than run simple commands (pipes, redirections,
// substitutions, loops).
std::optional<SavedCommand> parse_saved_command(std::string_view text);

// Splits a shell command line into simple commands, with the same limits.
std::optional<std::vector<Words>> parse_shell(std::string_view line);

}  // namespace tapir::build
