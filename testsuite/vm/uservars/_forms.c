// SPDX-License-Identifier: GPL-2.0-or-later
// Values in the forms that old and new debug information has for places, sizes and bounds. It prints them itself.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

volatile long sink;
struct pair {
    int a, b;
    unsigned low : 3, mid : 7;
    long c;
    short tail;
};
struct big {
    char fill[70000];
    int after;
} bigs;
#ifdef __clang__
#define SAY "clang"
#else
#define SAY "expect"
#endif
enum flags { LOW = 1, HIGH = 200, TOP = 0x80000000u };

__attribute__((noinline)) long arrays(int n, int m, int (*rows)[m], struct pair *p, enum flags flags) {
    int grid[n][m], list[n];
    char name[n];

    memset(grid, 0, sizeof grid);
    grid[1][2] = rows[1][2] + 100;
    for (int i = 0; i < n; i++) {
        list[i] = i * 11;
        name[i] = 'a' + i;
    }
    sink = flags; /* line 35 */
    sink = list[1];
    printf(SAY " %d %d %d %d %d %u %u %ld %d %d %u \"%.*s\" [%d, %d, %d]\n", rows[1][2], rows[2][0], grid[1][2], p->a,
           p->b, p->low, p->mid, p->c, p->tail, bigs.after, (unsigned)flags, n, name, list[0], list[1], list[2]);
    return grid[n - 1][m - 1] + p->b;
}

#ifndef __clang__
__attribute__((noinline)) long structure(int n) {
    struct {
        int n;
        char text[n];
        int after;
        short last;
    } with;

    with.n = n;
    with.after = 5 * n;
    with.last = -7;
    sink = n; /* line 54 */
    sink = with.last;
    printf("expect with %d %d %d\n", with.n, with.after, with.last);
    return with.after;
}
#else
__attribute__((noinline)) long narrow(int x, unsigned long y) {
    unsigned char byte = (unsigned char)x;
    short half = (short)y;
    long wide = (long)(signed char)x;
    unsigned long up = (unsigned)x;

    sink = y; /* line 66 */
    sink = x;
    (void)byte, (void)half, (void)wide, (void)up;
    return (long)y + x;
}
#endif

int main(int argc, char **argv) {
    int rows[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    struct pair p = {-1, 2, 5, 99, -5, -300};

    (void)argv;
    setvbuf(stdout, NULL, _IOLBF, 0);
    bigs.after = 77;
    sink = 3;
    arrays((int)sink, (int)sink + 1, rows, &p, argc > 1 ? TOP : HIGH);
#ifndef __clang__
    structure(argc + 4);
#else
    int x = argc * 300 - 1;
    unsigned long y = 0xfffffff0ul + argc;
    narrow(x, y);
    printf("expect narrow %d %d %ld %lu\n", (unsigned char)x, (short)y, (long)(signed char)x,
           (unsigned long)(unsigned)x);
#endif
    return 0;
}
