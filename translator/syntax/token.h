// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens as they travel from the scanner through the preprocessor to the grammar.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/diagnostics.h"

namespace tapir::syntax {

struct Token {
    int kind = 0;  // Grammar::token_kind_type
    SourceRef ref;
    // Decoded string; embedded C without its brackets; of a number, the option that it stands for; or the complaint
    // when there is a `problem`.
    std::string value;
    // The mistake in the token itself; an error only when the token is used. INVALID tokens always have one; END
    // has one when a mistake that is reported already swallowed the rest of the text.
    std::optional<Tag> problem;
    uint64_t number = 0;
    bool glued = false;  // no blank between this token and the one before it
};

}  // namespace tapir::syntax
