// SPDX-License-Identifier: GPL-2.0-or-later
// How boxes are colored in SVG files: "#ea971a". Owners differ in lightness, so that every eye tells them apart.
#pragma once

#include <string>

#include "report/call_tree.h"
#include "report/owners.h"

namespace tapir::report {

// Libraries have shades, by their file.
std::string color_of(Owner owner, const FrameText &frame);
// Orange is more than before, blue is less, gray is within chance.
std::string color_of(const Difference &difference);

}  // namespace tapir::report
