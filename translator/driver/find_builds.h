// SPDX-License-Identifier: GPL-2.0-or-later
// Debug information that this machine lacks, from debuginfod servers.
#pragma once

#include "debuginfod/debug_servers.h"
#include "dwarf/object.h"
#include "options/options.h"

namespace tapir::driver {

// Looks into the cache of debuginfod, then asks the servers of $DEBUGINFOD_URLS, all calls in this process together no
// longer than $DEBUGINFOD_MAXTIME. A notice tells once why debug information was not fetched. Only scripts and lists
// ask servers: --doctor and editors must not wait for them.
dwarf::FindBuild find_builds(const Options &options);

// Tells --doctor which servers are asked.
std::string about_servers(const debuginfod::DebugServers &servers);

}  // namespace tapir::driver
