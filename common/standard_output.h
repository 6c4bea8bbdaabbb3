// SPDX-License-Identifier: GPL-2.0-or-later
// Standard output of programs that print a result and end. A write that failed is remembered until the program ends, so
// that it says why, and fails.
#pragma once

#include <string_view>

#include "common/outcome.h"

namespace tapir {

// Appends to stdout, which buffers.
void print_output(std::string_view text);
// Writes what is in the buffer, before another program goes on in the same place.
void flush_output();

// At the end of main(): flushes. Else FileUnwritable, "standard output cannot be written: No space left on device".
// A reader that has gone is no failure: it has what it wanted.
Outcome<void> finish_output();
// The same of a write to standard output that did without stdout; `error` is its errno, or 0.
Outcome<void> output_outcome(int error);

}  // namespace tapir
