// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers for people.
#pragma once

#include <string>

namespace tapir::cost {

// "1,234,567"; up to 10 with one decimal, if there is one that counts. Not negative.
std::string number_text(double value);

}  // namespace tapir::cost
