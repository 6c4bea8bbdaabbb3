// SPDX-License-Identifier: GPL-2.0-or-later
// The values of a script's options where the language wants literals.
#pragma once

#include <string>

#include "driver/pipeline.h"
#include "syntax/parser.h"

namespace tapir::driver {

// True for the global of an option of the script, which the loader sets.
bool is_option(const Options &options, const std::string &global);

// Adds what the options stand for in the script's text.
void add_option_values(State &state, syntax::ParseOptions &settings);

// Marks the globals of options that may change while the script runs.
void mark_live_options(State &state);

// Adds the values that are part of what is built.
void add_option_key(const Options &options, Hasher &hash);

}  // namespace tapir::driver
