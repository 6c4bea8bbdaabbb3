// SPDX-License-Identifier: GPL-2.0-or-later
// The names that a user's embedded C goes by, looked at before a C compiler sees them.
#pragma once

#include "base/diagnostics.h"
#include "resolve/program.h"

namespace tapir::resolve {

// Reports, at their places, names that the code cannot have, with their replacements: parts of SystemTap's runtime
// (`_stp_...`, members of CONTEXT), parameters that the function lacks, globals without their pragma. Names that C of
// the top level defines are the user's own. The program is resolved.
void check_embedded_names(const Program &program, Diagnostics &diagnostics);

}  // namespace tapir::resolve
