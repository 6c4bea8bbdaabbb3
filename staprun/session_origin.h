// SPDX-License-Identifier: GPL-2.0-or-later
// The command and the process of a session, for the head of its pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tapir::staprun {

struct SessionOrigin {
    std::string command;  // that was typed to begin it, with the quotes that sh needs
    std::string target;   // the command of -c, or of the process of -x; "": there is none
    std::string program;  // its file, by the name that the user typed; "": not known
    uint64_t pid = 0;     // of -x
};

// `command_line` is what was typed. The process of -x, 0 for none, must be alive.
SessionOrigin find_origin(const std::string &command_line, const std::string &command, int64_t process,
                          const std::string &proc = "/proc");

}  // namespace tapir::staprun
