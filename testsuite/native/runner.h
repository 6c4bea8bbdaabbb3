// SPDX-License-Identifier: GPL-2.0-or-later
// Runs scripts end to end on this machine: script, C, gcc together with the native runtime, process. The form of a
// case:
//
//     ### options -DMAXACTION=500 -g -u --compatible=2.3 -- script arguments
//     ### run -n 2 -m 1000            arguments of the program
//     ### tapset NAME.stp             a file of a library directory beside the ordinary one; .stpm too, any number
//     ...
//     ### script
//     ...
//     ### stdout
//     ...
//     ### stderr                      diagnostics, then what the program says
//     ...
//     ### status 1
//
// Absent stdout, stderr: nothing is printed there. Absent status: 0.
#pragma once

#include <string>

#include "translate.h"

namespace tapir::native {

struct Case {
    Settings settings;
    std::string run, script, out, err;
    int status = 0;
    bool check_only = false;  // translated, not run
};

struct Outcome {
    int status = -1;
    std::string out, err;
};

// The words after "### options". An option that is not known fails the running test.
Settings parse_options(const std::string &text);

// A whole .case text. A section that is not known fails the running test.
Case parse_case(const std::string &text);

// The compiler and its options for a script that must be accepted without a warning.
constexpr const char *kStrictCompiler =
    "cc -O1 -Wall -Wundef -Wstrict-prototypes -Wno-trigraphs -Wno-unused-result -Werror";

// Compiles and runs a translated script.
Outcome run_native(const std::string &c_text, const std::string &arguments,
                   const std::string &compiler = kStrictCompiler);

// Translates and runs; fails the running test where it differs from what the case says.
void check(const Case &c);

}  // namespace tapir::native
