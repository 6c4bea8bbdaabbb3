// SPDX-License-Identifier: GPL-2.0-or-later
// Calls what is probed as deep as it is told.
#include <stdlib.h>

__attribute__((noinline)) void reached(void) {
    __asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) void descend(int levels) {
    if (levels > 1)
        descend(levels - 1);
    else
        reached();
    __asm__ volatile("" : : : "memory");
}

int main(int argc, char **argv) {
    descend(atoi(argv[argc - 1]));
    return 0;
}
