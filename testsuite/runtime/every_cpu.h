// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that stand for CPUs.
#pragma once

#include <functional>
#include <thread>
#include <vector>

extern "C" {
#include <tapir/tapir.h>
}

namespace tapir::test {

inline constexpr u32 kCpus = 4;

// Runs `body` in a thread for each CPU, and waits for all of them.
inline void on_every_cpu(const std::function<void(u32)> &body) {
    std::vector<std::thread> threads;
    for (u32 cpu = 0; cpu < kCpus; cpu++)
        threads.emplace_back(body, cpu);
    for (std::thread &thread : threads)
        thread.join();
}

}  // namespace tapir::test
