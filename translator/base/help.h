// SPDX-License-Identifier: GPL-2.0-or-later
// Advice on a mistake, below the place where it is: "help: write x[KEY] for one element". It travels with the
// causes of a message, and is the one that has no place.
#pragma once

#include <string>
#include <utility>

#include "base/diagnostics.h"

namespace tapir {

// Adds advice, a phrase or two without a full stop; nothing when `text` is empty.
inline Diagnostic &add_help(Diagnostic &diagnostic, std::string text) {
    if (!text.empty()) diagnostic.causes.push_back({diagnostic.tag, std::move(text), {}, {}, diagnostic.severity});
    return diagnostic;
}

// True for the causes that add_help() makes.
inline bool is_help(const Diagnostic &cause) {
    return !cause.at;
}

}  // namespace tapir
