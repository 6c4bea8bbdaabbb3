// SPDX-License-Identifier: GPL-2.0-or-later
#include "clocks.h"

#include <ctime>

namespace tapir::staprun {

namespace {

constexpr int kLooks = 5;  // of which one is hardly interrupted

uint64_t now(clockid_t clock) {
    timespec time = {};
    clock_gettime(clock, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

Clocks read_clocks() {
    Clocks best;
    for (int i = 0; i < kLooks; i++) {
        const uint64_t before = now(CLOCK_MONOTONIC), realtime = now(CLOCK_REALTIME), after = now(CLOCK_MONOTONIC);
        const uint64_t half = (after - before + 1) / 2;
        if (i == 0 || half < best.within) best = {before + half, realtime, half};
    }
    return best;
}

void put_clocks(tapir_json *json, const Clocks &clocks) {
    tapir_json_member(json, "clock");
    tapir_json_puts(json, "{\"monotonic\":");
    tapir_json_unsigned(json, clocks.monotonic);
    tapir_json_unsigned_member(json, "realtime", clocks.realtime);
    tapir_json_unsigned_member(json, "within", clocks.within);
    tapir_json_puts(json, "}");
}

}  // namespace tapir::staprun
