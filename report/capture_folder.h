// SPDX-License-Identifier: GPL-2.0-or-later
// Folders of captures, as stap-watch fills them.
#pragma once

#include <ctime>
#include <string>
#include <vector>

#include "common/descriptor.h"
#include "common/outcome.h"
#include "report/joined_captures.h"

namespace tapir::report {

struct CaptureFile {
    std::string name;  // with the folder
    Descriptor file;
    uint64_t bytes = 0;
    uint64_t written = 0;  // ns since the epoch
};

bool is_folder(const std::string &path);

// Opens the captures (*.tapir) of a folder that may reach into the span. FileUnreadable: the folder or one of them.
// Misuse: there is none.
Outcome<std::vector<CaptureFile>> open_folder(const std::string &path, const TimeSpan &span);

// Reads them as one; closes them. Misuse: they do not belong together, or nothing is in the span. Faults of
// read_capture(), but for files that are no captures: these are left out, and `complaints` has a line for each.
Outcome<capture::Capture> read_folder(std::vector<CaptureFile> files, const TimeSpan &span,
                                      std::vector<std::string> &complaints);

// A moment as users write it: "15:04", "15:04:05" (today, or yesterday if that is still to come), with a date
// "2026-11-30 15:04:05", "@EPOCH" in seconds, or how long ago: "10m", "1.5h". ns since the epoch; Misuse.
Outcome<uint64_t> read_moment(const std::string &text, time_t now);

}  // namespace tapir::report
