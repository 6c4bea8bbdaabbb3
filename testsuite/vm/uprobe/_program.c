// SPDX-License-Identifier: GPL-2.0-or-later
// The target of this folder's cases: calls and values that are known.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point {
    int x, y;
    const char *name;
};
struct shape {
    struct point corner;
    unsigned flags : 3, rest : 29;
    long sides[4];
    struct shape *next;
};

long calls_total = 100;
static struct shape second = {{-7, 8, "second"}, 5, 1, {1, 2, 3, 4}, NULL};

__attribute__((noinline)) long measure(struct shape *shape, int count, const char *word) {
    long sum = calls_total;

    for (int i = 0; i < count; i++)
        sum += shape->sides[i % 4];
    calls_total += count;
    return sum + (long)strlen(word);
}

__attribute__((noinline)) int depth(int n) {
    int below;

    if (!n) return 0;
    below = depth(n - 1);
    __asm__ volatile("" : "+r"(below)); /* no loop instead of the calls */
    return below + 1;
}

int main(int argc, char **argv) {
    struct shape first = {{3, -4, "first"}, 2, 0, {10, 20, 30, 40}, &second};
    int rounds = argc > 1 ? atoi(argv[1]) : 1;

    for (int i = 0; i < rounds; i++)
        printf("%ld\n", measure(&first, i, "word"));
    return depth(5) == 5 ? 0 : 1;
}
