// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that are known by other names than the one debug information has.
#include <stdio.h>
#include <stdlib.h>

static int sink;

__attribute__((noinline)) int __libc_take(long bytes) {
    __asm__ volatile("" : : : "memory");
    return sink = (int)bytes;
}
int take(long bytes) __attribute__((alias("__libc_take")));

int bare(int a);
__asm__(".text\n.globl bare\n.type bare,@function\nbare: lea 1(%rdi),%eax\n ret\n.size bare,.-bare\n");

__asm__(
    ".text\n.globl odd\n.type \"main.(*Job).Weigh\",@function\nodd:\n\"main.(*Job).Weigh\": lea 2(%rdi),%eax\n ret\n"
    ".size \"main.(*Job).Weigh\",.-odd\n");
int odd(int a);

int main(int argc, char **argv) {
    int i, rounds = argc > 1 ? atoi(argv[1]) : 1;

    for (i = 0; i < rounds; i++)
        printf("%d %d %d\n", take(i + 40), bare(i), odd(i));
    return 0;
}
