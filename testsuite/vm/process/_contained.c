// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for a line, and then calls a function whose name depends on how it was compiled.
#include <stdio.h>

__attribute__((noinline)) int FUNCTION(int n) {
    __asm__ volatile("" ::: "memory");
    return n * 2;
}

int main(void) {
    return getchar() == EOF || FUNCTION(21) != 42;
}
