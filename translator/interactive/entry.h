// SPDX-License-Identifier: GPL-2.0-or-later
// An entry that was typed: a command, definitions, or a statement that runs at once.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "interactive/definitions.h"

namespace tapir::interactive {

struct Command {
    std::string_view name, argument, help;  // the argument as help shows it; "": it takes none
};
std::span<const Command> commands();

struct Entry {
    enum class Kind : uint8_t { Empty, Unfinished, Wrong, Command, Definitions, Statement };

    Kind kind = Kind::Empty;
    std::string complaint;          // of a wrong one: how the translator shows it
    std::string command, argument;  // of a command
    std::vector<Item> items;        // definitions
    std::string statement;
    std::string printed;   // a statement that prints the value of the other one, "": that is no expression
    bool is_call = false;  // of a function, which may return nothing
};

struct Reader {
    const Definitions &definitions;
    bool guru = false;  // embedded C is allowed
    std::function<std::string(const Diagnostics &)> shown;
};

// Reads a text of one or more lines, each with its newline. Only its first line can be a command. A text is unfinished
// as long as another line may make it right.
Entry read_entry(const std::string &text, const Reader &reader);

// Definitions of a file.
Entry read_definitions(const std::string &text, const std::string &name, const Reader &reader);

// A script that runs a statement with what the definitions have, without their probes, and ends then.
std::string script_of(const Definitions &definitions, const std::string &statement);
// A script that only shows whether definitions are right.
std::string script_for_check(const Definitions &definitions);

}  // namespace tapir::interactive
