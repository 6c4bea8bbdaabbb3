// SPDX-License-Identifier: GPL-2.0-or-later
// The findings of --doctor, and how they are shown.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/screen.h"

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

// A line for each finding, by groups, what is lacking first. For people lines are broken between words.
std::string list_findings(const std::vector<Group> &groups, const Screen &screen);

// The conclusion, which comes before the findings.
struct Verdict {
    std::string text;
    bool good = true;
    std::vector<std::pair<std::string, std::string>> steps;  // a command, and what it is good for
    std::string all;                                         // the command that lists all findings
};

// The verdict, then a line for what is lacking, then for what could be better, and one for all that is well. No line
// has more columns than the screen.
std::string summarize(const std::vector<Group> &groups, const Verdict &verdict, const Screen &screen);

// The verdict, and list_findings().
std::string render(const std::vector<Group> &groups, const Verdict &verdict, const Screen &screen);

std::string render_json(const std::vector<Group> &groups, const std::string &conclusion);

// Returns the subjects of essential findings that are not well, separated by commas, or "".
std::string failures(const std::vector<Group> &groups);

}  // namespace tapir::machine
