// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "../resolve/pass2.h"
#include "types/infer.h"
#include "types/listings.h"

namespace tapir::types {

using resolve::Pass2;
using resolve::Tapsets;

// All of pass 2; false when errors were reported.
inline bool infer_script(Pass2 &pass, const std::string &text, const TypeOptions &options = {}) {
    pass.elaborate({text});
    return !pass.diagnostics.has_errors() && infer(*pass.program, options, pass.diagnostics);
}

// The messages of pass 2 for a script.
inline std::string diagnose_types(const std::string &text) {
    Pass2 pass;
    infer_script(pass, text);
    return pass.reported();
}

// The program as -p2 shows it, or the messages when there are errors.
inline std::string show(const std::string &text, bool bodies = false, const Tapsets &tapsets = {}) {
    Pass2 pass(tapsets);
    return infer_script(pass, text) ? print_program(*pass.program, bodies) : pass.reported();
}

}  // namespace tapir::types
