// SPDX-License-Identifier: GPL-2.0-or-later
// Marks among variables: of a function, of one that is inlined, of the file. It prints what they are.
#include <stdio.h>
#include <stdlib.h>

static int of_file = 5;
volatile int sink;
__thread int of_thread = 40;

#define MARK(name, a)                                                                            \
    __asm__ volatile(                                                                            \
        "990: nop\n"                                                                             \
        ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n" \
        "991: .asciz \"stapsdt\"\n992: .balign 4\n"                                              \
        "993: .8byte 990b\n.8byte _.stapsdt.base\n.8byte 0\n"                                    \
        ".asciz \"places\"\n.asciz \"" name                                                      \
        "\"\n.asciz \"-4@%0\"\n994: .balign 4\n.popsection\n"                                    \
        ".ifndef _.stapsdt.base\n"                                                               \
        ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"                  \
        ".weak _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base,1\n"               \
        ".popsection\n.endif\n"                                                                  \
        :                                                                                        \
        : "r"(a))

static inline __attribute__((always_inline)) void inlined(int count) {
    int within = count * 2;

    sink = within;
    MARK("inner", count);
    sink = within;
}

__attribute__((noinline)) static void outer(int number) {
    int local = number + 100;

    sink = local;
    MARK("outer", number);
    printf("expect outer %d %d %d\n", number, local, of_file);
    inlined(number + 1);
    printf("expect inner %d %d\n", number + 1, (number + 1) * 2);
    of_file++;
    of_thread++;
}

int main(int argc, char **argv) {
    (void)argv;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < argc + 1; i++)
        outer(i);
    return 0;
}
