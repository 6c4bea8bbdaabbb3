// SPDX-License-Identifier: GPL-2.0-or-later
// Captures may come from anywhere. The process that reads them first gives up the rights that it does not need.
#pragma once

#include <cstdint>
#include <string>

namespace tapir::report {

enum class Reads : uint8_t {
    Nothing,  // no file but those that are open
    Files,    // files can be opened to be read: debug information
};

// From now on the process cannot start programs, open files beyond `reads`, use a network or get rights. A process of
// root becomes the user nobody. Returns "", or the step that failed.
std::string confine(Reads reads);

}  // namespace tapir::report
