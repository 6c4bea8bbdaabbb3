// SPDX-License-Identifier: GPL-2.0-or-later
// The hosts that --remote names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

namespace tapir::remote {

// One host as a user named it.
struct Host {
    std::string uri;          // as given; what remote_uri() tells and what messages call it
    std::string destination;  // for ssh: "host" or "user@host", without the brackets of an IPv6 address
    int port = 0;             // 0: what ssh's own configuration says
    std::vector<std::string> ssh_options = {};  // for its -o, in front of those of all hosts
};

// Takes "[user@]host[:port]" or "ssh://[user@]host[:port]", an IPv6 address with a port in brackets. Else
// HostNameWrong.
Outcome<Host> parse_host(std::string_view text);

// Takes a line of a file of hosts: a host, then NAME=VALUE for ssh's -o, with quotes as a shell has them. Else
// HostNameWrong.
Outcome<Host> parse_host_line(std::string_view line);

// Appends what one --remote says: a host, or "@FILE" with a host on each line; a "#" begins a comment. Else
// HostNameWrong, with the line of a file, or HostListUnusable.
Outcome<void> add_hosts(const std::string &text, std::vector<Host> &hosts);

}  // namespace tapir::remote
