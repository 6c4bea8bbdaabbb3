// SPDX-License-Identifier: GPL-2.0-or-later
// The member "clock" of records, which relates times of records to those of other machines.
#pragma once

#include <cstdint>

extern "C" {
#include "items/json_lines.h"
}

namespace tapir::staprun {

// Both clocks at one moment, in ns. `within`: the moments may differ by as much.
struct Clocks {
    uint64_t monotonic = 0, realtime = 0, within = 0;
};

Clocks read_clocks();
void put_clocks(tapir_json *json, const Clocks &clocks);

}  // namespace tapir::staprun
