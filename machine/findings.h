// SPDX-License-Identifier: GPL-2.0-or-later
// The findings of --doctor, and how they are shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tapir::machine {

enum class State : uint8_t {
    Ok,
    Note,     // works, but not as well as it could
    Off,      // does not work until something is switched on
    Missing,  // does not work until something is installed or built in
};

struct Finding {
    State state = State::Ok;
    std::string subject;     // "headers"
    std::string text;        // the finding; if it is not well, also the effect and advice
    bool essential = false;  // no script runs unless it is well
};

struct Group {
    std::string title;
    std::vector<Finding> findings;
};

// Writes a line for each finding, and the conclusion.
std::string render(const std::vector<Group> &groups, const std::string &conclusion);
std::string render_json(const std::vector<Group> &groups, const std::string &conclusion);

// Returns the subjects of essential findings that are not well, separated by commas, or "".
std::string failures(const std::vector<Group> &groups);

}  // namespace tapir::machine
