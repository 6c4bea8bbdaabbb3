// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include <string>

#include "regex/match_table.h"

namespace tapir::emit {

// Definition of `static const struct tapir_regex NAME` and of the arrays it points to.
std::string regex_table(const std::string &name, const regex::Table &table);

}  // namespace tapir::emit
