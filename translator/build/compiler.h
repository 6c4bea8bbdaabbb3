// SPDX-License-Identifier: GPL-2.0-or-later
// Which compiler builds modules for a kernel.
#pragma once

#include <string>
#include <vector>

#include "target/kernel.h"

namespace tapir::build {

struct Compiler {
    std::string program;                 // as found in PATH, absolute; "" if this machine has none
    std::string wanted;                  // the one the kernel was built with: "gcc-12"
    std::vector<std::string> make_args;  // what makes kbuild use `program`; empty when it does so by itself
    std::string identity;                // changes when the program does
    bool substitute = false;             // `program` is not the one the kernel was built with
};

// From CONFIG_CC_VERSION_TEXT and what is installed. No process is run.
Compiler choose_compiler(const target::Kernel &kernel);

}  // namespace tapir::build
