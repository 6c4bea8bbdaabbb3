// SPDX-License-Identifier: GPL-2.0-or-later
// Random scripts together with what they must print. The generator builds a small tree of its own; one walk over it
// writes the script, another evaluates it, sharing nothing with the translator.
#pragma once

#include <cstdint>
#include <string>

namespace tapir::native {

struct RandomScript {
    std::string text;
    std::string expected;
};

constexpr unsigned kRandomStringCapacity = 32;  // MAXSTRINGLEN the script must be run with

// `programs` begin probes, each a program of its own over shared globals.
RandomScript random_script(uint64_t seed, int programs);

}  // namespace tapir::native
