// SPDX-License-Identifier: GPL-2.0-or-later
// Opens a pseudo terminal, tells its size, sends text both ways, and prints what probes are to see.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

static void check(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

int main(void) {
    char path[64], data[100];
    setvbuf(stdout, NULL, _IOFBF, 65536);
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    check(master >= 0 && !grantpt(master) && !unlockpt(master) && !ptsname_r(master, path, sizeof path), "pty");
    const char *name = strrchr(path, '/') + 1;
    int slave = open(path, O_RDWR | O_NOCTTY);
    struct stat s;
    check(slave >= 0 && !fstat(slave, &s), path);
    printf("init \"pty_master\" \"ptm\"\n");
    printf("open %s %lu 0x%x\n", name, s.st_ino, O_RDWR | O_NOCTTY | 0100000);
    struct winsize first = {25, 81, 801, 602}, second = {50, 132, 1000, 500};
    check(!ioctl(slave, TIOCSWINSZ, &first) && !ioctl(slave, TIOCSWINSZ, &second), "size");
    printf("ioctl \"%s\" 0x5414 %p\nresize \"pts%s\" 0x0 0,0 25x81 602,801\n", name, (void *)&first, name);
    printf("ioctl \"%s\" 0x5414 %p\nresize \"pts%s\" 25x81 602,801 50x132 500,1000\n", name, (void *)&second, name);
    check(write(slave, "out\t\"", 5) == 5, "out");
    // It may arrive in pieces, a tab as several spaces.
    for (char last = 0; last != '"';) {
        ssize_t n = read(master, data, sizeof data);
        check(n > 0, "read");
        last = data[n - 1];
    }
    printf("write %s 5 \"out\\t\\\"\" \"pty_slave\"\n", name);
    check(write(master, "in\n", 3) == 3, "in");
    printf("write ptmx 3 \"in\\n\" \"pty_master\"\n");
    printf("receive 3 \"in\\n\" NULL \"pty_slave\" \"pts\" %s\n", name);
    struct pollfd p = {.fd = slave, .events = POLLIN};
    check(poll(&p, 1, 1000) == 1, "poll");
    printf("poll %s\n", name);
    check(read(slave, data, 64) == 3 && !memcmp(data, "in\n", 3), "read");
    printf("read %s \"pty_slave\"\n", name);
    close(slave);
    printf("release %s %lu 0x%x\n", name, s.st_ino, O_RDWR | 0100000);
    return 0;
}
