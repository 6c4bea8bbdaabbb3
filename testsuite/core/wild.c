// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls through pointers that lead nowhere. WAY says where to, MODE what happens then: "crash" dies, "caught" goes on
 * in a signal handler, which waits.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*volatile nowhere)(int);
static volatile int after;
static char zeroes[4096], written[4096] = "not code";
extern void nobody(int) __attribute__((weak));

static __attribute__((noinline)) int f_null(int k) {
    int kept = k * 11;
    nowhere(k);
    return kept + after;
}

/* Its last instruction is a jump, where that is optimized. */
static __attribute__((noinline)) void f_jump(int k) {
    nowhere(k);
}

static __attribute__((noinline)) int f_weak(int k) {
    nobody(k);
    return k + after;
}

static void caught(int number) {
    (void)number;
    printf("ready\n");
    fflush(stdout);
    for (;;)
        pause();
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "null";
    int result = 0;
    if (argc > 2 && strcmp(argv[2], "caught") == 0) signal(SIGSEGV, caught);
    if (strcmp(way, "heap") == 0) nowhere = (void (*)(int))(uintptr_t)malloc(64);
    if (strcmp(way, "data") == 0) nowhere = (void (*)(int))(uintptr_t)(written + 8);
    if (strcmp(way, "zeroes") == 0) nowhere = (void (*)(int))(uintptr_t)(zeroes + 100);
    if (strcmp(way, "text") == 0) nowhere = (void (*)(int))(uintptr_t) "a constant";
    if (strcmp(way, "wild") == 0) nowhere = (void (*)(int))(uintptr_t)0x414141414141;
    if (strcmp(way, "stack") == 0) nowhere = (void (*)(int))(uintptr_t)&result;
    if (strcmp(way, "jump") == 0)
        f_jump(argc);
    else if (strcmp(way, "weak") == 0)
        result = f_weak(argc + 4);
    else
        result = f_null(argc + 4);
    return result + after;
}
