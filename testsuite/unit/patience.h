// SPDX-License-Identifier: GPL-2.0-or-later
// How long tests wait for a condition before they give up.
#pragma once

#include <chrono>
#include <cstdlib>
#include <thread>

namespace tapir::tests {

/// By how much time limits are multiplied: TAPIR_PATIENCE, which testsuite/patience.sh measures for ./check, else 2.
inline double patience() {
    const char *measured = std::getenv("TAPIR_PATIENCE");
    const double factor = measured ? std::atof(measured) : 0;
    return factor >= 1 ? factor : 2;
}

/// Waits until `condition()` holds, looking every 10 ms. Returns false when it does not within `seconds` * patience().
template <class Condition>
bool patiently(double seconds, Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds * patience());
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return true;
}

}  // namespace tapir::tests
