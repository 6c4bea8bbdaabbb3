// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * _reads THREADS READS SEED: each of the threads makes so many reads of /dev/zero, of 1 to 4 bytes: 4 in one of 8, 3 in
 * two of 8, 2 in one of 8, as drawn. Prints how many reads of all threads were of 1, 2, 3 and 4 bytes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int fd;
static long reads;
static uint64_t seed;
static unsigned long counts[5];

static void *run(void *number) {
    static const size_t sizes[8] = {1, 1, 1, 1, 2, 3, 3, 4};
    uint64_t x = seed * 1000 + (uintptr_t)number + 1;
    unsigned long own[5] = {0};
    char bytes[4];

    for (long i = 0; i < reads; i++) {
        /* xorshift* */
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        const size_t size = sizes[x * 0x2545f4914f6cdd1dull >> 61];
        if (read(fd, bytes, size) != (ssize_t)size) exit(1);
        own[size]++;
    }
    for (int size = 1; size <= 4; size++)
        __atomic_fetch_add(&counts[size], own[size], __ATOMIC_RELAXED);
    return NULL;
}

int main(int argc, char **argv) {
    long threads = argc > 3 ? atol(argv[1]) : 0;
    pthread_t thread[64];

    if (threads < 1 || threads > 64 || (fd = open("/dev/zero", O_RDONLY)) < 0) return 1;
    reads = atol(argv[2]);
    seed = strtoull(argv[3], NULL, 10);
    for (long i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)i)) return 1;
    for (long i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%lu %lu %lu %lu\n", counts[1], counts[2], counts[3], counts[4]);
    return 0;
}
