// SPDX-License-Identifier: GPL-2.0-or-later
/* Code of which one function is inlined in another; the lines are known to inline_test.cc. */
static inline __attribute__((always_inline)) int inner(volatile int *x) {
    return *x * 3 + *x;
}

__attribute__((noinline)) int outer(volatile int *x) {
    return inner(x) + 1;
}

int main(int argc, char **argv) {
    volatile int value = argc;
    (void)argv;
    return outer(&value);
}
