// SPDX-License-Identifier: GPL-2.0-or-later
// The places of a stopped process's threads, passed from the program that stopped it to another one. Both are of one
// build.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/notes.h"

namespace tapir::core {

// The content of a file.
std::string write_held_threads(const std::vector<Thread> &threads);
// Returns nothing if the content is of another kind, or of another build.
std::optional<std::vector<Thread>> read_held_threads(std::string_view content);

}  // namespace tapir::core
