// SPDX-License-Identifier: GPL-2.0-or-later
// counts ONE TWO READS WRITES: calls counted_one() and counted_two() so often, reads 12345 bytes and writes 777 bytes
// so often.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static char buffer[12345];
volatile int sum;

__attribute__((noinline)) void counted_one(void) {
    sum += 1;
}
__attribute__((noinline)) void counted_two(void) {
    sum += 2;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    for (int i = atoi(argv[1]); i > 0; i--)
        counted_one();
    for (int i = atoi(argv[2]); i > 0; i--)
        counted_two();
    const int in = open("/dev/zero", O_RDONLY), out = open("/dev/null", O_WRONLY);
    for (int i = atoi(argv[3]); i > 0; i--)
        if (read(in, buffer, sizeof buffer) != sizeof buffer) return 1;
    for (int i = atoi(argv[4]); i > 0; i--)
        if (write(out, buffer, 777) != 777) return 1;
    return 0;
}
