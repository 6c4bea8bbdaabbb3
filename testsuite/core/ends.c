// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions whose last instruction is a call that does not return: the return address is where the next function
 * begins. Compiled with -falign-functions=1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile int never;

__attribute__((noinline, noreturn)) static void f_stay(int k) {
    printf("ready\n");
    fflush(stdout);
    for (;;)
        pause();
    (void)k;
}

__attribute__((noinline, noreturn)) static void f_third(int k) {
    f_stay(k + 1);
}

__attribute__((noinline)) int behind_third(int k) {
    return k * 3 + never;
}

__attribute__((noinline, noreturn)) static void f_second(int k) {
    if (never) puts("never");
    f_third(k + 1);
}

__attribute__((noinline)) int behind_second(int k) {
    return k * 5 + never;
}

__attribute__((noinline, noreturn)) static void f_first(int k) {
    f_second(k + 1);
}

__attribute__((noinline)) int behind_first(int k) {
    return k * 7 + never;
}

__attribute__((noinline, noreturn)) static void f_other(int k) {
    f_second(k + 2);
}

__attribute__((noinline)) int behind_other(int k) {
    return k * 9 + never;
}

int (*volatile kept[])(int) = {behind_other, behind_first, behind_second, behind_third};

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 5) f_other(argc);
    f_first(argc);
}
