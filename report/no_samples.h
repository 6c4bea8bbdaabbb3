// SPDX-License-Identifier: GPL-2.0-or-later
// The text of a picture without samples.
#pragma once

#include <string>

#include "report/picture.h"

namespace tapir::report {

struct NoSamples {
    std::string cause;    // "No samples: the program used no processor time in 4.4 s. For waits:"
    std::string command;  // "stap -o waits.html -c './orders 60' offcpu.stp"; "" if none helps
};

// Says why there is nothing to show, and what to do; the cause is "" if there is something.
NoSamples no_samples(const Profile &profile);
// The same in one line.
std::string no_samples_text(const Profile &profile);

}  // namespace tapir::report
