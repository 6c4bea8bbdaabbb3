// SPDX-License-Identifier: GPL-2.0-or-later
// A 32-bit program without any library.
volatile int number = 5;

__attribute__((noinline)) int step(int by, int *to) {
    number += by;
    return *to + by;
}

void _start(void) {
    int three = 3;

    number = step(4, &three) + step(5, &three);
    for (;;)
        __asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
