// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * worker FOLDER DEVICE CACHED PORT: for each byte of its standard input makes one round of what ten tools count, and
 * prints a line. Between rounds it waits in one read(2).
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static char block[4096] __attribute__((aligned(4096)));

static void must(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static void fail_calls(int n) {
    while (n--)
        must(syscall(SYS_openat, AT_FDCWD, "/none", O_RDONLY) < 0, "open");
}

static void use_file(const char *folder, int n) {
    char name[256];
    int fd;

    snprintf(name, sizeof(name), "%s/file", folder);
    must((fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0, name);
    while (n--) {
        must(write(fd, block, 100) == 100 && lseek(fd, 0, SEEK_SET) == 0, "write");
        must(read(fd, block, 50) == 50 && fsync(fd) == 0, "read");
    }
    close(fd);
}

/* Each round writes another page, which nothing has read. */
static void use_cache(int fd) {
    static off_t at;

    must(pwrite(fd, block, sizeof(block), at) == sizeof(block), "write of a page");
    at += sizeof(block);
}

static void use_disk(int fd) {
    must(pread(fd, block, sizeof(block), 0) == sizeof(block), "read of the disk");
    must(pwrite(fd, block, sizeof(block), 8192) == sizeof(block), "write of the disk");
}

static void connect_ends(int port, int ends[2]) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listening = socket(AF_INET, SOCK_STREAM, 0);

    must(!bind(listening, (struct sockaddr *)&a, sizeof(a)) && !listen(listening, 1), "listen");
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    must(!connect(ends[0], (struct sockaddr *)&a, sizeof(a)), "connect");
    must((ends[1] = accept(listening, 0, 0)) >= 0, "accept");
    close(listening);
}

static void talk(const int ends[2]) {
    char c = 'x';

    must(write(ends[0], &c, 1) == 1 && read(ends[1], &c, 1) == 1, "question");
    must(write(ends[1], &c, 1) == 1 && read(ends[0], &c, 1) == 1, "answer");
}

/* Lasts until the kernel has sent the first segment again, a second later. */
static void call_nobody(void) {
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = inet_addr("10.66.0.2")};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    struct timespec t = {1, 300000000};

    must(connect(fd, (struct sockaddr *)&a, sizeof(a)) < 0, "connect to nobody");
    nanosleep(&t, 0);
    close(fd);
}

int main(int argc, char **argv) {
    int ends[2], disk, cached;
    char c;

    must(argc == 5, "four words");
    must((disk = open(argv[2], O_RDWR | O_DIRECT)) >= 0, argv[2]);
    must((cached = open(argv[3], O_RDWR)) >= 0, argv[3]);
    connect_ends(atoi(argv[4]), ends);
    while (read(0, &c, 1) == 1) {
        for (int i = 0; i < 7; i++)
            syscall(SYS_getppid);
        fail_calls(10);
        use_file(argv[1], 5);
        use_disk(disk);
        use_cache(cached);
        talk(ends);
        call_nobody();
        puts("done");
        fflush(stdout);
    }
    return 0;
}
