// SPDX-License-Identifier: GPL-2.0-or-later
// stap-server: compiles scripts for hosts that have no compiler.
#include "server/stap_server.h"

int main(int argc, char **argv) {
    return tapir::server::run(argc, argv);
}
