// SPDX-License-Identifier: GPL-2.0-or-later
// The request to a build server; docs/server.md has the format.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/outcome.h"

namespace tapir::client {

struct Request {
    std::string name;    // what messages call the script; any path
    std::string script;  // its text
    std::vector<std::string> arguments;
    std::vector<std::string> options;                          // of stap, as far as the server takes them
    std::vector<std::pair<std::string, std::string>> tapsets;  // path or name, text
    std::string release;                                       // of the kernel
    std::string build_id;                                      // of the kernel; "" = not known
};

// The body of POST /v1/modules. Names lose what the server does not take: directories, and characters other than
// letters, digits and "._+~-"; tapsets of the same name are numbered. Text that is not UTF-8 cannot be sent:
// RequestNotText.
Outcome<std::string> body_of(const Request &request);

}  // namespace tapir::client
