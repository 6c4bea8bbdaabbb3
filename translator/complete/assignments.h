// SPDX-License-Identifier: GPL-2.0-or-later
// Where a variable of a script got a pointer from, by tokens.
#pragma once

#include <string_view>

#include "complete/script_place.h"

namespace tapir::complete {

// Replaces a variable that begins the base of a Member by the expression that was assigned to it: "f->f_path" becomes
// "$file->f_path" behind "f = $file". The last assignment before the cursor counts, else the first one anywhere; the
// points become those of its probe. The place stays as it is where none is known.
void follow_assignments(std::string_view text, Place &place);

}  // namespace tapir::complete
