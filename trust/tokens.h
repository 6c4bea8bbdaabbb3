// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens of clients, for the services that answer over a network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/outcome.h"

namespace tapir::trust {

// A word that can be a part of a path without leading anywhere: letters, digits and "._+~-", not beginning with '.' or
// '-', at most 64 bytes.
bool is_plain_name(std::string_view name);

// Bearer tokens, kept only as SHA-256 hashes.
class Tokens {
  public:
    // Lines "NAME SHA256 [NOT-AFTER]", the last in seconds since 1970; '#' begins a comment. Else
    // BadConfiguration.
    Outcome<void> parse(std::string_view text);
    // Returns the name of a token's owner, or "" if the token is unknown or has expired at `now`. All wrong tokens take
    // the same time.
    std::string name_of(std::string_view token, int64_t now) const;

  private:
    struct Entry {
        std::string name, hash;
        int64_t not_after;
    };
    std::vector<Entry> entries_;
};

}  // namespace tapir::trust
