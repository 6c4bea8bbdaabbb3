// SPDX-License-Identifier: GPL-2.0-or-later
/* twice N: gives N pieces of memory back twice, in a way that the C library does not notice, and 10 once. */
#include <stdlib.h>

static void *volatile a, *volatile b;

int main(int argc, char **argv) {
    long n = argc > 1 ? atol(argv[1]) : 0;

    for (int i = 0; i < 10; i++)
        free(malloc(1000));
    for (long i = 0; i < n; i++) {
        void *same;

        a = malloc(24 + 16 * i);
        b = malloc(24 + 16 * i);
        free(a);
        free(b);
        same = a;
        free(same);
    }
    _Exit(0);
}
