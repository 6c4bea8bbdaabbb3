// SPDX-License-Identifier: GPL-2.0-or-later
// Sleeps for a moment at each level of a recursion, once in each round, and says how often. _levels LEVELS ROUNDS
// [SECONDS] With SECONDS it stays so long before it begins.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long naps;

__attribute__((noinline)) static void nap(void) {
    struct timespec moment = {0, 1};
    nanosleep(&moment, NULL);
    naps++;
}

__attribute__((noinline)) static int descend(int level, int last) {
    nap();
    if (level < last) descend(level + 1, last);
    __asm__ volatile("" : : : "memory");
    return level;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    if (argc > 3) sleep((unsigned)atoi(argv[3]));
    for (volatile int round = 0; round < atoi(argv[2]); round++)
        descend(1, atoi(argv[1]));
    printf("%ld\n", naps);
    return 0;
}
