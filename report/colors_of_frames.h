// SPDX-License-Identifier: GPL-2.0-or-later
// How frames are colored, in SVG files and on the page. Text on all of them is black.
#pragma once

#include <string>

#include "report/call_tree.h"

namespace tapir::report {

struct Hue {
    unsigned hue, saturation, lightness;  // degrees, percent, percent
};

// By what the frame is: the kernel orange, scripts blue, a program and its libraries a hue each.
Hue hue_of(const FrameText &frame);
// By how its share changed.
Hue hue_of(const Difference &difference);
// "#ffcc00"
std::string color_text(const Hue &hue);

}  // namespace tapir::report
