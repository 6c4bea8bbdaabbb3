// SPDX-License-Identifier: GPL-2.0-or-later
// Why a context expression has no meaning at its place, from where that is found to where it is reported.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/source.h"

namespace tapir::resolve {

// The reason why an access is impossible, for a diagnostic.
struct AccessProblem {
    std::string message;
    SourceRef at;
    std::string help = {};                   // advice
    std::function<std::string()> near = {};  // appended to the message; slow, and most problems are never shown
    std::vector<std::pair<std::string, SourceRef>> causes = {};  // further places
    bool certain = false;                                        // reported also where code without effect has it
};

}  // namespace tapir::resolve
