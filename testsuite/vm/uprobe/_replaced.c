// SPDX-License-Identifier: GPL-2.0-or-later
// Calls step() for each line of its input.
#include <stdio.h>

__attribute__((noinline)) void step(int line) {
    __asm__ volatile("" : : "r"(line) : "memory");
}

int main(void) {
    int line = 0, c;

    while ((c = getchar()) != EOF)
        if (c == '\n') step(++line);
    return 0;
}
