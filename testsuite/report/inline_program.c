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

/* Functions in sections of their own: a table of ranges that is not sorted without the system's help. */
#define ONE(n)            \
    int many_##n(int x) { \
        return x * n;     \
    }
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3)
