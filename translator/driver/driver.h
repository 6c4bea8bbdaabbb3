// SPDX-License-Identifier: GPL-2.0-or-later
// One run of stap: from the command line to the exit status.
#pragma once

namespace tapir::driver {

int run(int argc, char **argv);

}  // namespace tapir::driver
