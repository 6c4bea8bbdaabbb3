// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that was not touched before the hit: pages of the file, and anonymous ones that were given back.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct node {
    struct node *next;
    char pad[8192];
    int value;
};

static const char cold_text[3 * 4096] __attribute__((aligned(4096))) = {[4096] = 'c', 'o', 'l', 'd'};
long cold_global[8192] __attribute__((aligned(4096))) = {[1024] = 77};

__attribute__((noinline)) void look(const char *text, struct node *node) {
    __asm__ volatile("" : : "r"(text), "r"(node) : "memory");
}

int main(void) {
    struct node *nodes = mmap(NULL, 4 * sizeof(*nodes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    nodes[0].next = &nodes[2];
    nodes[2].value = 42;
    /* Shared memory keeps its contents; the process no longer has the pages. */
    madvise(nodes, 4 * sizeof(*nodes), MADV_DONTNEED);
    look(cold_text + 4096, nodes);
    return 0;
}
