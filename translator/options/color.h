// SPDX-License-Identifier: GPL-2.0-or-later
// Colors of diagnostics.
#pragma once

#include <string>

#include "common/colors.h"

namespace tapir::driver {

// `text`, rendered diagnostics, with the labels of errors and warnings, tokens, places and carets colored.
std::string colored(const std::string &text, const Colors &colors);

}  // namespace tapir::driver
