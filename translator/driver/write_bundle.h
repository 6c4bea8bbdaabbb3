// SPDX-License-Identifier: GPL-2.0-or-later
// --bundle: the module of pass 4 and what runs it, in one file.
#pragma once

#include <string>

#include "driver/pipeline.h"

namespace tapir::driver {

// Packs state.module_path, with the signature beside it if there is one, and staprun into the file that the options
// name. Returns the file's path, or "" after reporting.
std::string write_bundle(State &state);

}  // namespace tapir::driver
