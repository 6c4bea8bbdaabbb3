// SPDX-License-Identifier: GPL-2.0-or-later
// -o NAME.svg, NAME.html and the like, of a script with @sample: stap-report makes the picture, or without -o a
// summary.
#pragma once

#include <string>
#include <vector>

#include "common/outcome.h"
#include "loader_options.h"

namespace tapir::staprun {

// Whether a session with samples makes a picture; or a summary, since the samples go nowhere else.
bool wants_picture(const Options &options);
bool wants_summary(const Options &options);

// The error for one who leaves the session, about what stays unmade: "summary", "picture 'NAME'".
std::string left_text(const std::string &what);

// Whether there is a stap-report: beside this program, else along $PATH. Its file; else ProgramMissing, with what to
// do.
Outcome<std::string> find_report();

// Has it make the picture `path` of a capture, which it reads from its beginning, with `options` of stap-report. Its
// exit status: capture::kPoorPicture if too much is cut or lost. Else ProgramNotStarted. "" is the summary, on standard
// output, whose status is 0 even if much is lost: it says so itself.
Outcome<int> make_picture(const std::string &report, int capture, const std::string &path,
                          const std::vector<std::string> &options);

}  // namespace tapir::staprun
