// SPDX-License-Identifier: GPL-2.0-or-later
// Does things with a file in each of two folders, and prints what probes of them are to see. The first one's file
// system uses the kernel's common functions, the second one is ext4.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

static char data[16384];

static void check(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

static void drop_caches(void) {
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);
    sync();
    check(fd >= 0 && write(fd, "3", 1) == 1, "drop_caches");
    close(fd);
}

int main(int count, char **arguments) {
    char f[100], g[100], e[100], fifo[100];
    check(count == 3, "arguments");
    snprintf(f, sizeof f, "%s/f", arguments[1]);
    snprintf(g, sizeof g, "%s/g", arguments[1]);
    snprintf(e, sizeof e, "%s/e", arguments[2]);
    snprintf(fifo, sizeof fifo, "%s/fifo", arguments[2]);
    setvbuf(stdout, NULL, _IOFBF, 65536);

    int fd = open(f, O_RDWR | O_CREAT, 0600), other = open(g, O_RDWR | O_CREAT, 0600);
    check(fd >= 0 && other >= 0, f);
    printf("open %s 0 \nopen %s 0 \n", f, g);
    check(!mkfifo(fifo, 0600) && open(fifo, O_WRONLY | O_NONBLOCK) < 0 && errno == ENXIO, fifo);
    printf("open %s -6 ENXIO\n", fifo);

    check(write(fd, data, 10000) == 10000, "write");
    printf("write %s 0 10000 %p = 10000\n", f, (void *)data);
    check(lseek(fd, -1000, SEEK_END) == 9000, "lseek");
    printf("seek %s -1000 2 SEEK_END = 9000\n", f);
    check(lseek(fd, -1, SEEK_SET) == -1, "lseek");
    printf("seek %s -1 0 SEEK_SET = -22 EINVAL\n", f);
    check(pread(fd, data, 5000, 100) == 5000, "pread");
    printf("read %s 100 5000 %p = 5000\n", f, (void *)data);
    struct iovec v[3] = {{data, 600}, {data + 1000, 300}, {data + 2000, 200}};
    check(readv(fd, v, 3) == 1000, "readv");
    printf("readv %s 1100 3 %p\nread %s 9000 1100 %p = 1000\nreadv = 1000\n", f, (void *)v, f, (void *)data);
    check(writev(fd, v, 2) == 900, "writev");
    printf("writev %s 900 2 %p\nwrite %s 10000 900 %p = 900\nwritev = 900\n", f, (void *)v, f, (void *)data);

    char *mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(mapped != MAP_FAILED, "mmap");
    printf("mmap %s 0x%lx 0x%lx 3\n", f, (unsigned long)mapped, (unsigned long)mapped + 8192);

    int ends[2];
    loff_t from = 0, to = 20000;
    check(!pipe(ends) && splice(fd, &from, ends[1], NULL, 3000, 0) == 3000, "splice");
    printf("from %s 3000 = 3000\n", f);
    check(splice(ends[0], NULL, other, &to, 3000, 0) == 3000, "splice");
    printf("into %s 3000 = 3000\n", g);

    struct stat s;
    check(!fstat(fd, &s), "stat");
    printf("file %u:%u %lu\n", major(s.st_dev), minor(s.st_dev), s.st_ino);
    // Pages: 3 of 10900 bytes come when they are written, go with the caches, and come again when they are read; a
    // mapping that is written to marks one of them; cutting the file takes all away.
    check(!fsync(fd), "fsync");
    mapped[4096] = 1;
    check(!munmap(mapped, 8192) && !fsync(fd), "fsync");
    drop_caches();
    check(pread(fd, data, 10900, 0) == 10900, "pread");
    printf("read %s 0 10900 %p = 10900\n", f, (void *)data);
    check(!ftruncate(fd, 0), "ftruncate");
    // Through a pipe of the kernel's own.
    off_t offset = 0;
    check(!lseek(other, 0, SEEK_SET) && write(other, data, 5000) == 5000 && sendfile(fd, other, &offset, 5000) == 5000,
          "sendfile");
    printf("seek %s 0 0 SEEK_SET = 0\nwrite %s 0 5000 %p = 5000\n", g, g, (void *)data);
    printf("from %s 5000 = 5000\ninto %s 5000 = 5000\n", g, f);

    int e_fd = open(e, O_RDWR | O_CREAT | O_APPEND, 0600);
    check(e_fd >= 0 && write(e_fd, data, sizeof data) == (ssize_t)sizeof data, e);
    printf("generic open %s e 0 %d\nopen %s 0 \n", e, (O_RDWR | O_CREAT | O_APPEND | 0100000), e);
    check(!fsync(e_fd), e);
    drop_caches();
    check(pread(e_fd, data, sizeof data, 0) == (ssize_t)sizeof data, e);
    check(!fstat(e_fd, &s), e);
    printf("read %s 0 %zu %p = %zu\n", e, sizeof data, (void *)data, sizeof data);
    printf("file %u:%u %lu\n", major(s.st_dev), minor(s.st_dev), s.st_ino);
    return 0;
}
