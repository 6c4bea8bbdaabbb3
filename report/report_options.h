// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "report/joined_captures.h"
#include "report/picture.h"
#include "report/profile.h"
#include "report/tables.h"

namespace tapir::report {

struct Options {
    bool help = false, version = false;
    std::string input;             // "-": standard input
    std::optional<TimeSpan> span;  // the input is a folder, of which these captures are taken
    std::string before;            // what it is compared with; "": nothing
    std::string output;            // "-": standard output
    const Format *format = nullptr;
    double min_quality = 95;  // percent
    bool accept_partial = false;
    bool inlined = false;
    std::optional<std::string> server;  // a build server that has names of files, "" = that of the client's settings
    bool all = false;                   // of the summary: functions and causes, however many there are
    bool check = false;                 // the quality for programs, and no picture
    ProfileOptions profile;
    std::optional<TableOptions> tables;  // these, and no picture
};

// Else Misuse.
Outcome<Options> parse_options(const std::vector<std::string> &arguments);
std::string help_text();

}  // namespace tapir::report
