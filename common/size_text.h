// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace tapir {

// Sizes of files for people, rounded up: "862 MB", "40 KB". Powers of 1000, as apt shows them.
std::string size_text(uint64_t bytes);

}  // namespace tapir
