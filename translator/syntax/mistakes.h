// SPDX-License-Identifier: GPL-2.0-or-later
// Guesses a mistake of syntax from the tokens around it.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "syntax/token.h"

namespace tapir::syntax {

struct Advice {
    std::string help;  // what to write instead; empty when nothing is known
    const Token *opened =
        nullptr;               // the bracket that is not closed; null when all are, or when that is not the mistake
    std::string about_opened;  // what to say of it
};

// `at` is the token that the grammar did not take, `begin` the first one of its item. `expected` are the names that the
// grammar has for what it would have taken.
struct Mistake {
    const std::deque<Token> &tokens;
    size_t begin;
    size_t at;
    const std::vector<std::string> &expected;

    bool expects(std::string_view name) const;
    bool expects_item() const { return expects("'probe'") && expects("'function'") && !expects("'return'"); }
};

Advice advise(const Mistake &mistake);

}  // namespace tapir::syntax
