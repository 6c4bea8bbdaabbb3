// SPDX-License-Identifier: GPL-2.0-or-later
/* A function whose loop begins with its first instruction: each turn is at its entry, but there is one call. */
#include <stdio.h>

struct node {
    int value;
    struct node *next;
};

__attribute__((noinline, noipa)) void clear(struct node *p) {
    do {
        p->value = 0;
        p = p->next;
    } while (p);
}

int main(void) {
    struct node nodes[4] = {{1, &nodes[1]}, {2, &nodes[2]}, {3, &nodes[3]}, {4, NULL}};

    for (int i = 0; i < 4; i++)
        clear(&nodes[i]);
    for (int i = 0; i < 4; i++)
        printf("%p\n", (void *)&nodes[i]);
    return 0;
}
