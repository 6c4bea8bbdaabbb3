// SPDX-License-Identifier: GPL-2.0-or-later
// Blocks of known sizes, of which every third is free again, in the main arena and in a thread's: the write says how
// many are used, and their chunks' bytes, by what malloc(3) and malloc_usable_size(3) say.
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC 0x1234567890abcdefUL
#define BLOCKS 600

static long used, bytes;

// The first words of blocks say whose they are; what is free keeps the third one.
static void *fill(void *unused) {
    unsigned long **blocks = calloc(BLOCKS, sizeof(*blocks));

    (void)unused;
    for (int i = 0; i < BLOCKS; i++) {
        size_t size = 24 + (size_t)(i * 7919 % 2500);

        blocks[i] = malloc(size);
        blocks[i][0] = blocks[i][1] = blocks[i][2] = MAGIC;
        if (malloc_usable_size(blocks[i]) != (size + 8 + 15) / 16 * 16 - 8) _exit(1);
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (i % 3 == 0) {
            free(blocks[i]);
            continue;
        }
        used++;
        bytes += (long)malloc_usable_size(blocks[i]) + 8;
    }
    return 0;
}

int main(void) {
    char text[100];
    pthread_t thread;
    void *large = malloc(1000000), *larger = malloc(2000000);

    fill(0);
    pthread_create(&thread, 0, fill, 0);
    pthread_join(thread, 0);
    snprintf(text, sizeof(text), "used %ld bytes %ld mapped %d %ld\n", used, bytes, 2,
             (long)(malloc_usable_size(large) + malloc_usable_size(larger) + 32));
    return write(1, text, strlen(text)) < 0;
}
