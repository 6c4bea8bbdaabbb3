// SPDX-License-Identifier: GPL-2.0-or-later
// Where a script mentions its names, by tokens: macros, both branches of conditionals and broken scripts included.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

namespace tapir::complete {

enum class UseKind : uint8_t { Variable, Call, Function, Parameter, Macro, Other };

struct Use {
    UseKind kind = UseKind::Other;
    std::string_view name;
    size_t begin = 0;     // offset
    size_t item = 0;      // the declaration around it, by number
    bool global = false;  // a declaration of a global, or of an option
    bool written = false;
    bool in_macro = false;  // in the body of a @define
};

// All names, in order; they point into `text`.
std::vector<Use> uses_of(std::string_view text);

// The offsets of all mentions of what the name at `offset` means, its declaration among them; empty: it is no name of
// this script.
std::vector<size_t> same_name(std::string_view text, size_t offset);

// The same for a new name. A fault if a mention could be missed, or the name cannot be: Misuse.
Outcome<std::vector<size_t>> rename_places(std::string_view text, size_t offset, const std::string &name);

}  // namespace tapir::complete
