// SPDX-License-Identifier: GPL-2.0-or-later
// The memory of a merge. What hosts tell has no bound; what is kept of it has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tapir::merge {

struct Limits {
    size_t rows = 20000;               // of one table, array or histogram
    size_t texts = 1000;               // different lines that scripts printed, and different messages
    size_t names = 256;                // tables, globals and histograms
    size_t stacks = 200000;            // different ones
    size_t bytes = size_t{256} << 20;  // of all these, about
};

class Room {
  public:
    explicit Room(const Limits &limits) : limits_(limits) {}

    const Limits &limits() const { return limits_; }
    // Takes so many bytes; false: there is no room for them.
    bool take(size_t bytes) {
        if (used_ + bytes > limits_.bytes) return false;
        used_ += bytes;
        return true;
    }

  private:
    const Limits limits_;
    size_t used_ = 0;
};

}  // namespace tapir::merge
