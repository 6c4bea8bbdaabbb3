// SPDX-License-Identifier: GPL-2.0-or-later
// Of the C library's functions for memory, each processor has others. What debug information says of a register that a
// call may change is not always right, and must not depend on them.
#include <stddef.h>

#define PLAIN __attribute__((noinline, optimize("no-tree-loop-distribute-patterns")))

PLAIN void *memcpy(void *to, const void *from, size_t size) {
    for (size_t i = 0; i < size; i++)
        ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

PLAIN int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *left = a, *right = b;

    for (size_t i = 0; i < size; i++)
        if (left[i] != right[i]) return left[i] - right[i];
    return 0;
}

PLAIN void *memchr(const void *text, int wanted, size_t size) {
    const unsigned char *byte = text;

    for (size_t i = 0; i < size; i++)
        if (byte[i] == (unsigned char)wanted) return (void *)(byte + i);
    return NULL;
}

PLAIN size_t strlen(const char *text) {
    size_t length = 0;

    while (text[length])
        length++;
    return length;
}
