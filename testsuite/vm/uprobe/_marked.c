// SPDX-License-Identifier: GPL-2.0-or-later
// A mark with a semaphore, which says whether anybody looks; the note is written as sys/sdt.h does.
#include <stdio.h>
#include <stdlib.h>

volatile unsigned short work_done_semaphore __attribute__((section(".probes")));
static int counted = -5;

__attribute__((noinline)) static void mark(long a, const char *text) {
    __asm__ volatile(
        "990: nop\n"
        ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
        "991: .asciz \"stapsdt\"\n992: .balign 4\n"
        "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte work_done_semaphore\n"
        ".asciz \"work\"\n.asciz \"done\"\n.asciz \"-8@%0 8@%1 -4@%2 -2@$-7\"\n994: .balign 4\n.popsection\n"
        ".ifndef _.stapsdt.base\n"
        ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n.weak _.stapsdt.base\n"
        "_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n.popsection\n.endif\n"
        :
        : "r"(a), "r"(text), "m"(counted));
}

static int pair[2] = {11, 22};
static struct { int a, b, c; } triple = {1, 2, 3};

// A name as DTRACE_PROBE writes "guard-a", and places that are sums: "4+pair(%rip)", "8+4(%rcx)".
__attribute__((noinline)) static void guard(int *at) {
    __asm__ volatile(
        "990: nop\n"
        ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
        "991: .asciz \"stapsdt\"\n992: .balign 4\n"
        "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"
        ".asciz \"work\"\n.asciz \"guard__a\"\n.asciz \"-4@4+%0 -4@4+%1 -4@8-4(%2) 4@$8+4 8@$pair+4\"\n994: .balign 4\n"
        ".popsection\n"
        :
        : "m"(pair[0]), "m"(*(at + 1)), "r"(at));
}

int main(int argc, char **argv) {
    int i, rounds = argc > 1 ? atoi(argv[1]) : 1;

    printf("semaphore %d\n", work_done_semaphore);
    for (i = 0; i < rounds; i++)
        mark(i - 1, "text");
    guard(&triple.a);
    return 0;
}
