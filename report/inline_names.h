// SPDX-License-Identifier: GPL-2.0-or-later
// Functions and source lines of places in files, from debug information that is on this machine.
#pragma once

#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "report/fetched_names.h"

namespace tapir::report {

// Gives places of files all the functions that are inlined there, and source lines, as far as there is debug
// information of the same build; places without a name get that of a symbol. Looked for are files of the same build
// under /usr/lib/debug by build-id, in `fetched`, or in the object itself. Objects without a build-id are left as they
// are: nothing tells whether a file of that path is still the same. Returns what could not be found, a line for each
// object.
std::vector<std::string> add_inline_names(capture::Capture &capture, const FetchedFiles &fetched = {});

}  // namespace tapir::report
