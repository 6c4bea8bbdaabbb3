// SPDX-License-Identifier: GPL-2.0-or-later
// Places of every kind; places.stp names its lines.
#include <stdio.h>
#include <stdlib.h>

int total;

static inline __attribute__((always_inline)) int twice(int n) {
    total ^= n;
    return 2 * n;
}

static __attribute__((noinline)) int leaf(int n) {
    total += n;
    return n + 1;
}

static __attribute__((noinline)) int hidden(int n) {
    int sum = leaf(n);

    sum += twice(sum);
    return sum;
}

__attribute__((noinline)) int work(int n) {
    int sum = 0;

    if (n < 0) goto out;
    sum = hidden(n);
    sum += leaf(sum);
out:
    total += sum;
    return sum;
}

int main(int argc, char **argv) {
    int i, sum = 0;

    for (i = 0; i < 3; i++)
        sum += work(i + (argc > 5));
    printf("%d %d\n", sum, total);
    return 0;
}
