// SPDX-License-Identifier: GPL-2.0-or-later
// The owner of each frame's code, which the colors show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/picture.h"

namespace tapir::report {

// Pages have these numbers.
enum class Owner : uint8_t {
    Own,      // of the program that was looked at, in its language
    Library,  // shared libraries, interpreters, what starts threads and programs
    Kernel,   // and its modules
    Script,   // of an interpreter within a native program
    Fact,     // no code: idle, cut, lost, a label
};
inline constexpr size_t kOwners = 5;

// "own", "library", "kernel", "script", "fact"
const char *owner_word(Owner owner);
// As legends have it: "redis-server", "libraries", "kernel", "scripts", "facts". `program`: see PictureOrigin.
std::string owner_text(Owner owner, const std::string &program);

// Returns the owner of each frame of the picture's table. A frame without a name has an owner, too.
std::vector<Owner> owners_of(const Picture &picture);

// Does it only start threads or programs? By the function's name.
bool only_starts(const FrameText &frame);
// Is it only the way into the kernel, or to its threads? What follows says why.
bool only_enters(const FrameText &frame);

}  // namespace tapir::report
