// SPDX-License-Identifier: GPL-2.0-or-later
// Which debuginfod servers are asked, and how long.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/settings.h"

namespace tapir::debuginfod {

struct DebugServers {
    std::vector<std::string> urls;  // in the order in which they are asked; none: no server is asked
    std::string cache;              // directory of the files, in the form of elfutils' library
    unsigned stall_s = 90;          // a server that sends less than 100 KB in that time is given up
    unsigned deadline_s = 300;      // for all files of a process together
    uint64_t most_bytes = 4ull << 30;
    bool progress = false;  // messages about each file
    // A server with this address gets these credentials, and its certificate is checked against this authority.
    client::Settings known = {};
};

// $DEBUGINFOD_URLS, without those that are not http:// or https://, and the other variables of debuginfod-find(1):
// $DEBUGINFOD_TIMEOUT, $DEBUGINFOD_MAXTIME, $DEBUGINFOD_MAXSIZE, $DEBUGINFOD_PROGRESS, $DEBUGINFOD_CACHE_PATH.
DebugServers servers_of_environment();

// The same, with the credentials of the client's settings (client.conf). `server`: a build server that is asked first,
// "" = that of the settings; nothing: none. Else ServerAddressWrong, or the settings cannot be used.
Outcome<DebugServers> servers_of_settings(const std::optional<std::string> &server);

}  // namespace tapir::debuginfod
