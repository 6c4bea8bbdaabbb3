// SPDX-License-Identifier: GPL-2.0-or-later
// Colors of messages on a terminal.
#pragma once

#include <string>

namespace tapir::driver {

// `text`, rendered diagnostics, with the labels of errors and warnings and the carets colored. $SYSTEMTAP_COLORS
// ("error=01;31:warning=00;33:caret=01") replaces the colors it names.
std::string colored(const std::string &text);

}  // namespace tapir::driver
