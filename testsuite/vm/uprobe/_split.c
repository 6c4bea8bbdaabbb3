// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that compilers split: early() calls early.part.0, and again() is inlined with its rest inlined into it.
// Prints how often each was called.
#include <stdio.h>

volatile int sink;
static volatile int earlies, agains;

__attribute__((noinline)) void work(int v) {
    sink = v;
}

int early(int v) {
    if (v <= 3) return 0;
    work(v);
    work(v + 1);
    work(v + 2);
    work(v * 3);
    work(v * 5);
    work(v * 7);
    work(v ^ 9);
    return v;
}

__attribute__((noinline)) _Bool valid(int *e) {
    return *e > sink;
}

static inline void again(int *e) {
    if (!valid(e)) return;
    e[0] = sink;
    e[1] = sink;
}

__attribute__((noinline)) void uses(int *e) {
    again(e);
    work(0);
}

__attribute__((noinline)) void uses_too(int *e) {
    again(e);
    e[2] = 1;
    work(1);
}

int main(int argc, char **argv) {
    int a[8] = {argc * 1000}, n = 0;

    (void)argv;
    for (int i = 0; i < 20; i++) {
        earlies++;
        n += early(i);
        agains += 2;
        a[0] = a[4] = i * 100;
        uses(a);
        uses_too(a + 4);
    }
    printf("early %d again %d\n", earlies, agains);
    return n < 0;
}
