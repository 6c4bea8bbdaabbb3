// SPDX-License-Identifier: GPL-2.0-or-later
// The reasons why a module cannot be inserted here: found beforehand if the kernel shows enough, else from its refusal.
#pragma once

#include <string>
#include <vector>

#include "common/outcome.h"
#include "machine/facts.h"
#include "module/module_file.h"

namespace tapir::staprun {

// KernelRefusal when something is known that would keep the module from being loaded, or its probes from being hit.
Outcome<void> foresee_refusal(const ModuleFile &file, const machine::Facts &facts);

// "Couldn't insert module 'X': ..." for an errno of the kernel, as KernelRefusal; `log` are lines the kernel logged
// meanwhile. `ours`: a loaded module of that name, if any, is a script's.
Fault explain_insert_error(int error, const std::string &path, const ModuleFile &file, const machine::Facts &facts,
                           const std::vector<std::string> &log, bool ours);

}  // namespace tapir::staprun
