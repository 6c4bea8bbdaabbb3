// SPDX-License-Identifier: GPL-2.0-or-later
// Throws exceptions, and prints how many, of which type, and where.
#include <cstdio>
#include <stdexcept>
#include <string>

struct Hungry {
    int since;
};
__attribute__((noinline)) void complain(int n) {
    if (n % 3 == 0) throw Hungry{n};
    throw std::runtime_error("lost");
}
__attribute__((noinline)) void search() {
    std::string().at(1);
}

int main() {
    for (int i = 0; i < 12; i++) {
        try {
            complain(i);
        } catch (const std::exception &) {
        } catch (Hungry &) {
        }
    }
    for (int i = 0; i < 5; i++) {
        try {
            search();
        } catch (const std::out_of_range &) {
            try {
                throw;
            } catch (...) {
            }
        }
    }
    std::puts("8 std::runtime_error complain(int)\n4 Hungry complain(int)\n5 std::out_of_range");
}
