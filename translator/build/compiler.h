// SPDX-License-Identifier: GPL-2.0-or-later
// Finds the compiler that builds modules for a kernel.
#pragma once

#include <string>
#include <vector>

#include "target/kernel.h"

namespace tapir::build {

struct Compiler {
    std::string program;                 // as found in PATH, absolute; "" if this machine has none
    std::string system;                  // see Command: where make, compiler and linker come from; "" = this machine
    std::string wanted;                  // the one the kernel was built with: "gcc-12"
    std::vector<std::string> make_args;  // these make kbuild use `program`; empty if it does so by itself
    std::string identity;                // changes when the program does
    bool substitute = false;             // `program` is not the one the kernel was built with
};

// Chooses from CONFIG_CC_VERSION_TEXT, the installed compilers, and those in the directories of CACHE/toolchains/:
// roots of other systems, as debootstrap makes them. The kernel's own compiler, here or there, comes before any other.
// Runs no process.
Compiler choose_compiler(const target::Kernel &kernel, const std::string &cache);

}  // namespace tapir::build
