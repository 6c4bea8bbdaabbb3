// SPDX-License-Identifier: GPL-2.0-or-later
// Whether this user and this machine can run a module at all, asked before one is built.
#pragma once

#include <string>

#include "base/diagnostics.h"
#include "machine/facts.h"

namespace tapir::driver {

// The rights that staprun would have when this user calls it.
struct LoaderRights {
    bool set_user_id = false;  // staprun belongs to root and runs with root's rights
    // The user is a member of these groups, which staprun asks for where it is set-user-id.
    bool in_stapusr = false;
    bool in_stapdev = false;
};

// Reads them. `staprun` is a path, or a name along $PATH.
LoaderRights read_loader_rights(const std::string &staprun);

// False, after reporting why and what to do, if it is known that no module can be loaded. `from_server`: the module
// comes from a build server, which may sign it.
bool may_run(const machine::Facts &facts, const LoaderRights &loader, bool from_server, Diagnostics &diagnostics);

}  // namespace tapir::driver
