// SPDX-License-Identifier: GPL-2.0-or-later
// A 32-bit program without a library: getppid three times, and ends.
static long call(long number, long a) {
    long result;

    __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(a) : "memory");
    return result;
}

void _start(void) {
    for (int i = 0; i < 3; i++)
        call(64, 0);
    call(252, 5);
}
