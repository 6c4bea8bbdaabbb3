// SPDX-License-Identifier: GPL-2.0-or-later
// NAME and NUMBER are given to the compiler. The system call tells which program it is.
#include <unistd.h>

__attribute__((noinline)) void NAME(void) {
    getpgid(NUMBER);
    __asm__ volatile("" : : : "memory");
}

int main(void) {
    NAME();
    return 0;
}
