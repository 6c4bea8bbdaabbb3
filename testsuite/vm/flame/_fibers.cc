// SPDX-License-Identifier: GPL-2.0-or-later
// _fibers SECONDS: fibers of Boost.Context, which nearly all of the time is spent in.
#include <boost/context/fiber.hpp>
#include <chrono>
#include <cstdlib>
#include <vector>

namespace context = boost::context;

volatile unsigned sum;

__attribute__((noinline)) void spin(unsigned rounds) {
    for (unsigned i = 0; i < rounds; i++)
        sum = sum * 31 + i;
}

int main(int argc, char **argv) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(argc > 1 ? std::atoi(argv[1]) : 1);
    std::vector<context::fiber> fibers;
    for (unsigned i = 0; i < 5; i++)
        fibers.emplace_back([i](context::fiber &&caller) {
            for (;;) {
                spin(20000 + i);
                caller = std::move(caller).resume();
            }
            return std::move(caller);
        });
    while (std::chrono::steady_clock::now() < until)
        for (context::fiber &fiber : fibers)
            fiber = std::move(fiber).resume();
    // They have not ended, and their stacks are not worth unwinding.
    std::_Exit(0);
}
