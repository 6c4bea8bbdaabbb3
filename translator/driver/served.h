// SPDX-License-Identifier: GPL-2.0-or-later
// Passes 1 to 4 at a build server (--use-server).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/files.h"
#include "driver/pipeline.h"

namespace tapir::driver {

struct Served {
    std::string module_path;  // "": no module to run
    int status = 1;           // the exit status then
    // Holds the module when it cannot lie in the cache.
    std::unique_ptr<TemporaryDirectory> directory;
};

// Asks the server of the options for the module of state.sources, and says on standard error what it says; what passes
// 1 to 3 print goes to standard output. state.kernel must be there. A signature comes to lie beside the module.
Served build_at_server(const State &state, int last_pass);

// The build-id of the kernel that is running here, hexadecimal; "" if it cannot be told.
std::string running_build_id();
// Returns the build-id of a module's kernel, if it is this machine's (`is_running`) or a host's that told it; else
// "".
std::string kernel_build_id(const Options &options, bool is_running);

// The part of the command line that goes to the server.
std::vector<std::string> server_options(const Options &options, int last_pass);

}  // namespace tapir::driver
