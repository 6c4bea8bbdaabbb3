// SPDX-License-Identifier: GPL-2.0-or-later
// -o NAME.svg, NAME.html and the like, of a script with @sample: stap-report makes the picture.
#pragma once

#include <string>
#include <vector>

#include "common/outcome.h"

namespace tapir::staprun {

// Whether there is a stap-report: beside this program, else along $PATH. Its file; else ProgramMissing, with what to
// do.
Outcome<std::string> find_report();

// Has it make the picture `path` of a capture, which it reads from its beginning, with `options` of stap-report. Its
// exit status: capture::kPoorPicture if too much is cut or lost. Else ProgramNotStarted.
Outcome<int> make_picture(const std::string &report, int capture, const std::string &path,
                          const std::vector<std::string> &options);

}  // namespace tapir::staprun
