// SPDX-License-Identifier: GPL-2.0-or-later
// paced CHUNKS READS SPINS [CHUNKS READS SPINS]...: in each of so many chunks makes so many reads of /dev/zero, each
// after so many turns of a loop: of one byte in the first CHUNKS, of two in the second, ... The last four bits of the
// buffer's address are the number of the chunk among its CHUNKS, from 0. Prints the ns of each chunk.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv) {
    int fd = open("/dev/zero", O_RDONLY), i;
    _Alignas(16) char bytes[32];
    ssize_t size = 1;

    if (fd < 0) return 1;
    for (i = 1; i + 2 < argc && size <= 16; i += 3, size++) {
        long chunks = atol(argv[i]), reads = atol(argv[i + 1]), spins = atol(argv[i + 2]), chunk, r, s;

        for (chunk = 0; chunk < chunks; chunk++) {
            long long start = now();

            for (r = 0; r < reads; r++) {
                for (s = 0; s < spins; s++)
                    __asm__ volatile("");
                if (read(fd, bytes + chunk % 16, size) != size) return 1;
            }
            printf("%lld\n", now() - start);
        }
    }
    return 0;
}
