// SPDX-License-Identifier: GPL-2.0-or-later
// The program stap-server.
#pragma once

namespace tapir::server {

// The exit status.
int run(int argc, char **argv);

}  // namespace tapir::server
