// SPDX-License-Identifier: GPL-2.0-or-later
// Where fibers of Boost.Context begin. Its assembly has no unwind information, and programs such as PHP contain copies
// of it. A fiber's function returns to code that ends the process. So a walk that arrives there is complete.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tapir::unwind {

// From `start` to before `end`, in the code that was looked at.
struct FiberCode {
    size_t start = 0, end = 0;
};

// With the function that prepares a fiber, which is in front of it, it has more bytes than the room between other
// functions.
inline constexpr size_t kFiberCodeLeast = 48;

// Finds code for x86-64 that starts fibers and that they return to, by its instructions; ascending.
std::vector<FiberCode> fiber_code(std::string_view code);

}  // namespace tapir::unwind
