// SPDX-License-Identifier: GPL-2.0-or-later
// Mutants of real scripts: a text is cut into tokens, tokens are changed, and the result is put together again. Most
// mutants are wrong in an interesting way; many still mean something and get far into the translator.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tapir::fuzz {

using Tokens = std::vector<std::string>;

// Cuts any text into tokens of the language; comments and white space disappear. %{ ... %} is one token.
Tokens tokenize(std::string_view text);

// One line per statement, so that diagnostics stay short.
std::string join(const Tokens &tokens);

// The scripts that mutants are made from. The first `good` scripts are right: most mutants start from one of them.
struct Pool {
    std::vector<Tokens> scripts;  // not empty
    size_t good = 0;
};

// The mutant number `seed` of the pool, always the same for the same pool.
std::string mutant(const Pool &pool, uint64_t seed);

}  // namespace tapir::fuzz
