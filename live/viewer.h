// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the records of a session and shows them: a command's that it runs, a file's, or standard input's.
#pragma once

#include <string>
#include <vector>

#include "live/display.h"

namespace tapir::live {

struct ViewerSettings {
    DisplaySettings display;
    std::vector<std::string> command;  // whose standard output has the records; none: `file` has them
    std::string file;                  // "-": standard input
    bool plain = false;                // blocks of text, on a terminal, too
};

// Until the records end, or the user leaves. Returns the exit status: the command's, or 0, or 1 after a report.
int view(const ViewerSettings &settings);

}  // namespace tapir::live
