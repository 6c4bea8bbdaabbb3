// SPDX-License-Identifier: GPL-2.0-or-later
// stap --doctor: whether scripts can be built and described here. Whether they can be run: machine/examine.h.
#pragma once

#include <functional>
#include <string>

#include "machine/findings.h"
#include "target/debug_info.h"
#include "target/kernel.h"

namespace tapir::driver {

// Makes what all scripts for a kernel share, if it is not there. True: `text` says so; false: why not.
using MakeShared = std::function<bool(std::string &text)>;

// `problem`: why there is no build tree; "" if there is one.
machine::Group examine_building(const target::Kernel &kernel, const std::string &problem, const MakeShared &prepare);

// The kernel's debug information and symbols, as far as scripts can use them.
machine::Group examine_describing(const target::Kernel &kernel, const target::DebugInfo &debug,
                                  const std::string &symbols_from);

// Core files and snapshots (--core, --snapshot). `compiler` and `library` are paths, "": there is none; `no_kdump` is
// why dumps in the format of kdump cannot be read, "": they can; `scope` is kernel.yama.ptrace_scope, 0 where there is
// none.
struct StillFacts {
    std::string compiler, library, no_kdump;
    int scope = 0;
    bool is_root = false;
};
StillFacts read_still_facts();
machine::Group examine_still(const StillFacts &facts);

// Guests for --vm.
machine::Group examine_guests();

}  // namespace tapir::driver
