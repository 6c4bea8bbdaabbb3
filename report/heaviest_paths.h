// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks in a line each: what the program does or waits for, and which of its own functions have asked for that.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/picture.h"

namespace tapir::report {

struct Path {
    std::string text;  // "pthread_mutex_lock < place_order < worker"
    int64_t value = 0;
};

// At most `most`, the heaviest first.
std::vector<Path> heaviest_paths(const Picture &picture, size_t most);

// Most of the value is in stacks that end where the kernel takes the processor away.
bool is_of_waits(const Picture &picture);

}  // namespace tapir::report
