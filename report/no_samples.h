// SPDX-License-Identifier: GPL-2.0-or-later
// What a picture says that has nothing to show.
#pragma once

#include <string>

#include "report/picture.h"

namespace tapir::report {

// One sentence with the cause, and where there is one, a second with what to do:
// "No samples: the program used no processor time in 4.4 s. For waits: stap -o waits.html -c './orders 60' offcpu.stp".
// "" if there is something to show.
std::string no_samples_text(const Profile &profile);

}  // namespace tapir::report
