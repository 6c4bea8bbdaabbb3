// SPDX-License-Identifier: GPL-2.0-or-later
// Starting the command of a Run frame.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "common/outcome.h"
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
    pid_t pid = -1;  // -1 where it could not be executed; err says why
    int status = 0;  // then: 127 (not found) or 126
    int in = -1, out = -1, err = -1;
};

// Starts it in a session of its own. Else ProgramNotStarted, when there are not even streams.
Outcome<Started> start(const Command &command);

}  // namespace tapir::vm::agent
