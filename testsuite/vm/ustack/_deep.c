// SPDX-License-Identifier: GPL-2.0-or-later
// Calls itself, and what is probed at each level: as many stacks as levels.
#include <stdlib.h>

__attribute__((noinline)) void reached(int level) {
    __asm__ volatile("" : : "r"(level) : "memory");
}

__attribute__((noinline)) int descend(int level, int last) {
    reached(level);
    if (level < last) descend(level + 1, last);
    __asm__ volatile("" : : : "memory");
    return level;
}

int main(int argc, char **argv) {
    int last = atoi(argv[1]);
    // One place that calls, even if the compiler unrolls the two rounds.
    for (volatile int round = 0; round < 2; round++)
        descend(1, last);
    return argc - 2;
}
