// SPDX-License-Identifier: GPL-2.0-or-later
// A function that needs its parameters no longer, whose callers still know them; it prints what they were.
#include <stdio.h>

volatile long sink;
volatile long first, second;

__attribute__((noinline)) long use(long v) {
    sink = v;
    return sink;
}

__attribute__((noinline)) long lost(long a, long b) {
    sink = b;
    use(a);
    __asm__ volatile("xor %%ebx, %%ebx\n\txor %%r12d, %%r12d" ::: "rbx", "r12"); /* saved before */
    sink = 1;                                                                    /* line 17 */
    return sink;
}

__attribute__((noinline)) long kept(long k) {
    long r = lost(k + 1, 7);

    printf("expect %ld 7\n", k + 1);
    return r + k;
}

__attribute__((noinline)) long by_variable(long v) {
    long r = lost(v * 3, v - 100);

    printf("expect %ld %ld\n", v * 3, v - 100);
    return r;
}

int main(int argc, char **argv) {
    long (*volatile through)(long, long) = lost;

    setvbuf(stdout, NULL, _IOLBF, 0);
    (void)argv;
    kept(argc + 10);
    by_variable(argc + 20);
    lost(2, 42);
    puts("expect 2 42");
    through(5, 6);
    return 0;
}
