// SPDX-License-Identifier: GPL-2.0-or-later
// Every kind of value in memory that the process has not touched: each on pages of its own in a file's mapping.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <uchar.h>
#include <unistd.h>

#define PAGE 4096
struct deep {
    struct deep *next;
    char pad[2 * PAGE];
    struct {
        int64_t wide;
        int8_t small;
    } inner;
};

struct cold {
    char text[PAGE], quoted[PAGE], buffer[PAGE];
    char16_t text16[PAGE / 2];
    char32_t text32[PAGE / 4];
    int8_t i8[PAGE];
    int16_t i16[PAGE / 2];
    int32_t i32[PAGE / 4];
    int64_t i64[PAGE / 8];
    char *words[PAGE / 8];
    long numbers[2 * PAGE / 8];
    struct deep deep[2];
    char *untouched;
};

__attribute__((noinline)) void look(struct cold *cold, char **argv, long *numbers, int count) {
    __asm__ volatile("" : : "r"(cold), "r"(argv), "r"(numbers), "r"(count) : "memory");
}

int main(void) {
    struct cold *cold = mmap(NULL, sizeof(*cold), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    strcpy(cold->text, "plain");
    strcpy(cold->quoted, "a \"b\"\n");
    memcpy(cold->buffer, "x\0y", 3);
    memcpy(cold->text16, u"\u00fc\U0001f600!", sizeof(u"\u00fc\U0001f600!"));
    memcpy(cold->text32, U"\u20ac2", sizeof(U"\u20ac2"));
    cold->i8[0] = -8;
    cold->i16[0] = -16;
    cold->i32[0] = -32;
    cold->i64[0] = -64;
    cold->words[0] = cold->text;
    cold->words[1] = cold->quoted;
    cold->numbers[PAGE / 8 + 3] = 33;
    cold->deep[0].next = &cold->deep[1];
    cold->deep[1].inner.wide = 77;
    cold->deep[1].inner.small = -7;
    cold->untouched = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    /* Shared memory keeps its contents; the process no longer has the pages. */
    for (int round = 0; round < 3; round++) {
        madvise(cold, sizeof(*cold), MADV_DONTNEED);
        look(cold, cold->words, cold->numbers, PAGE / 8 + 3);
    }
    return 0;
}
