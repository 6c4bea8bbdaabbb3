// SPDX-License-Identifier: GPL-2.0-or-later
// SYSTEMTAP_DEBUGINFO_PATH: a directory, or a list of places of elfutils' form: places between colons, each relative to
// a file's directory or absolute, with "+" or "-" before it for whether checksums are compared.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tapir::target {

bool is_debug_list(std::string_view places);

// The directories in it below which files are by their absolute names; a name alone is one.
std::vector<std::string> debug_directories(std::string_view places);

}  // namespace tapir::target
