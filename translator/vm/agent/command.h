// SPDX-License-Identifier: GPL-2.0-or-later
// Starting the command of a Run frame.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "vm/protocol.h"

namespace tapir::vm::agent {

struct Command {
    RunHeader header{};
    std::string directory;
    std::vector<std::string> arguments, environment;
};

// False when the payload is not a well-formed Run frame.
bool parse_run(const std::string &payload, Command &command);

// The agent's ends of a started command's streams, non-blocking. With a terminal, in and out are the same device.
struct Started {
    pid_t pid = -1;
    int in = -1, out = -1, err = -1;
};

// Starts it in a session of its own. When it cannot be executed, the process reports that on its stderr and ends with
// 127 (not found) or 126. Returns false with a text when there are not even pipes or processes.
bool start(const Command &command, Started &started, std::string &error);

}  // namespace tapir::vm::agent
