// SPDX-License-Identifier: GPL-2.0-or-later
// Two functions with variables of the same names and different types.
#include <stdio.h>
#include <string.h>

struct node {
    int value;
    struct node *next;
};
struct text {
    char letters[24];
    short value;
};

__attribute__((noinline)) long one(struct node *p, int count) {
    printf("expect one %d %d %d\n", p->value, p->next->value, count);
    printf("expect left one %d %ld\n", p->value, (long)p->value + count);
    fflush(stdout);
    return p->value + count;
}

__attribute__((noinline)) long two(struct text *p, long other, short count) {
    printf("expect two %d %s %d\n", p->value, p->letters, count);
    printf("expect left two %d %ld\n", p->value, (long)p->value - count + other);
    fflush(stdout);
    return p->value - count + other;
}

int main(void) {
    struct node last = {-2, NULL}, first = {-1, &last};
    struct text text = {"", 300};

    strcpy(text.letters, "far away");
    return one(&first, 77) + two(&text, 1L << 40, -5) == 0;
}
