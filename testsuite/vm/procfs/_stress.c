// SPDX-License-Identifier: GPL-2.0-or-later
// stress FILE TIMES: reads the file so many times in pieces of odd sizes, from many open files at once, and says how
// many readings were not of one handler's making; then writes it whole in one write as often.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kOpen = 40, kLine = 100, kLines = 150, kSize = kLine * kLines };

static int reading(int fd, int piece) {
    static char text[kSize + 1];
    size_t length = 0;
    for (ssize_t n; length < sizeof text; length += (size_t)n) {
        n = read(fd, text + length, (size_t)piece < sizeof text - length ? (size_t)piece : sizeof text - length);
        if (n < 0) return 0;
        if (n == 0) break;
    }
    if (length != kSize) return 0;
    for (int i = 0; i < kLines; ++i)
        if (memcmp(text + i * kLine, text, 49) != 0 || atoi(text + i * kLine + 50) != i) return 0;
    return 1;
}

int main(int argc, char **argv) {
    static char out[19999];
    int fds[kOpen], bad = 0;
    if (argc != 3) return 2;
    for (int i = 0; i < kOpen; ++i)
        if ((fds[i] = open(argv[1], O_RDWR)) < 0) return 3;
    for (int round = 0; round < atoi(argv[2]); ++round) {
        // Partly read, others in between.
        char c;
        for (int i = 0; i < kOpen; ++i)
            if (lseek(fds[i], 0, SEEK_SET) != 0 || read(fds[i], &c, 1) != 1 || c != '0') ++bad;
        for (int i = 0; i < kOpen; ++i) {
            lseek(fds[i], 0, SEEK_SET);
            bad += !reading(fds[i], 1 + (round * 1021 + i * 97) % 9000);
        }
        // Behind the end, and in the middle.
        if (lseek(fds[0], kSize + 5, SEEK_SET) != kSize + 5 || read(fds[0], &c, 1) != 0) ++bad;
        if (pread(fds[0], &c, 1, kLine + kLine - 1) != 1 || c != '\n') ++bad;
        memset(out, 't', sizeof out);
        if (write(fds[round % kOpen], out, sizeof out) != sizeof out) ++bad;
    }
    printf("%d\n", bad);
    return 0;
}
