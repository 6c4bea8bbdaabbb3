// SPDX-License-Identifier: GPL-2.0-or-later
// Shows addresses of its variables, with what they are called.
#include <stdio.h>
#include <stdlib.h>

int hot_bss, pair_bss[2];
static char large_bss[300000];
int in_data = 5;
static long local_data[3] = {1, 2, 3};
const int in_rodata = 7;
__asm__(
    ".pushsection .data\n.balign 64\n.globl nothing\n.type nothing,@object\n.size nothing,0\nnothing: .space "
    "64\n.popsection\n"
    ".pushsection .bss\n.balign 64\n.globl nothing_bss\n.type nothing_bss,@object\n.size nothing_bss,0\nnothing_bss: "
    ".space 64\n.popsection\n");
extern char nothing[], nothing_bss[];

__attribute__((noinline)) void look(const void *at, const char *name, long offset) {
    __asm__ volatile("nop; nop" : : "r"(at), "r"(name), "r"(offset) : "memory");
}

#define LOOK(variable, name, offset) look((const char *)(variable) + (offset), name, offset)

int main(void) {
    int on_stack = 1;
    char *on_heap = malloc(100), *big = malloc(1 << 20);

    large_bss[5] = *on_heap = *big = 1;
    LOOK(&hot_bss, "hot_bss", 0);
    LOOK(pair_bss, "pair_bss", 4);
    LOOK(large_bss, "large_bss", 0);
    LOOK(large_bss, "large_bss", 299999);
    LOOK(&in_data, "in_data", 0);
    LOOK(local_data, "local_data", 16);
    LOOK(&in_rodata, "in_rodata", 0);
    LOOK(look, "look", 1);
    LOOK(nothing, "nothing", 0);
    LOOK(nothing, "", 8);
    LOOK(nothing_bss, "", 8);
    LOOK(&on_stack, "", 0);
    LOOK(on_heap, "", 0);
    LOOK(big, "", 0);
    printf("%p\n", (void *)&on_stack);
    return 0;
}
