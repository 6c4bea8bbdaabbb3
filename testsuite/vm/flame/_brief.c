// SPDX-License-Identifier: GPL-2.0-or-later
// Works for ten milliseconds of processor time.
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

NOINLINE long brief_inner(long n) {
    long i;

    for (i = 0; i < 1000; i++)
        __asm__ volatile("" : "+r"(n));
    return n;
}

NOINLINE long brief_outer(long n) {
    long result = brief_inner(n);

    __asm__ volatile("" : "+r"(result));
    return result + n;
}

int main(void) {
    clock_t start = clock();
    long sum = 0;

    while (clock() - start < CLOCKS_PER_SEC / 100)
        sum += brief_outer(sum);
    return sum == 1;
}
