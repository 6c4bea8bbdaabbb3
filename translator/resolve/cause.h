// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "base/diagnostics.h"

namespace tapir::resolve {

// Adds a further place to a message: "first declared here".
inline Diagnostic &add_cause(Diagnostic &diagnostic, std::string message, const SourceRef &at) {
    diagnostic.causes.push_back({diagnostic.tag, std::move(message), at, {}, diagnostic.severity});
    return diagnostic;
}

}  // namespace tapir::resolve
