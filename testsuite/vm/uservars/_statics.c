// SPDX-License-Identifier: GPL-2.0-or-later
// Variables that outlive a call, constants, and parameters at the end of a function.
#include <unistd.h>

enum colour { RED = 1, BLUE = 7 };
struct pair {
    int a;
    long b;
};
volatile long whole = 42;
static volatile int of_file = -3;
static const int constant = 99;

__attribute__((noinline)) long use(struct pair *pair, enum colour colour) {
    static volatile int calls = 10;
    static __thread volatile int of_thread = 20;
    const int local_constant = 5;

    calls += colour + local_constant;
    of_thread++;
    {
        static volatile long deeper = 3;
        deeper += calls;
        of_file += deeper;
    }
    getppid();
    return calls + pair->b + constant;
}

int main(int argc, char **argv) {
    struct pair pair = {argc, 1000};

    whole += use(&pair, BLUE) + use(&pair, RED);
    return whole == (long)argv;
}
