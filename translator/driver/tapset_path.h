// SPDX-License-Identifier: GPL-2.0-or-later
// Where tapsets are looked for.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "library/tapset_index.h"

namespace tapir::driver {

// The directories, first those that count most: -I in the order given, the user's own
// ($XDG_DATA_HOME/systemtap/tapset), then $SYSTEMTAP_TAPSET or, without it, `shipped`; and those of others
// ($XDG_DATA_DIRS/systemtap/tapset). The other fields are left.
library::IndexOptions tapset_path(const std::vector<std::string> &include_dirs, const std::string &shipped);

// Warns of directories that were asked for and are not searched.
void check_tapset_path(const std::vector<std::string> &include_dirs, Diagnostics &diagnostics);

// Where tools are: the user's own directory, if only they and root can write there, and `shipped`.
std::vector<std::string> tool_path(const std::string &shipped);

}  // namespace tapir::driver
