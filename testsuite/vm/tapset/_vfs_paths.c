// SPDX-License-Identifier: GPL-2.0-or-later
// Reads 77 bytes of files of all kinds and prints for each what /proc/self/fd and fstat(2) say of it and what came of
// the read.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int links;  // of /proc/self/fd, for when a root directory has none

static void check(int ok, const char *what) {
    if (ok) return;
    perror(what);
    exit(1);
}

static void look(int fd) {
    static const char removed[] = " (deleted)";
    char name[16], path[4096], data[77];
    snprintf(name, sizeof name, "%d", fd);
    ssize_t length = readlinkat(links, name, path, sizeof path - 1);
    check(length > 0, name);
    path[length] = 0;
    if (length > (ssize_t)sizeof removed && !strcmp(path + length - (sizeof removed - 1), removed))
        path[length - (ssize_t)(sizeof removed - 1)] = 0;
    struct stat s;
    check(!fstat(fd, &s), path);
    errno = 0;
    ssize_t result = read(fd, data, sizeof data);
    printf("%.511s %lu %u:%u %zd %s\n", path, s.st_ino, major(s.st_dev), minor(s.st_dev), result < 0 ? -errno : result,
           errno ? strerrorname_np(errno) : "");
    fflush(stdout);
}

static int make(const char *path, const char *text) {
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !lseek(fd, 0, SEEK_SET), path);
    return fd;
}

static void directory(const char *path) {
    check(!mkdir(path, 0700), path);
}

int main(void) {
    links = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
    check(links >= 0 && !unshare(CLONE_NEWNS) && !mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL), "set-up");
    directory("/tmp/tree");
    check(!mount("outer", "/tmp/tree", "tmpfs", 0, NULL) && !chdir("/tmp/tree"), "tmpfs");

    look(make("plain", "some text"));
    directory("a");
    directory("a/b with blanks");
    look(make("a/b with blanks/\xc3\xa9", ""));
    int renamed = make("a/before", "x");
    check(!rename("a/before", "after"), "rename");
    look(renamed);
    int removed = make("removed", "gone");
    check(!unlink("removed"), "unlink");
    look(removed);
    look(open("a", O_RDONLY | O_DIRECTORY));
    look(open("plain", O_WRONLY));

    // Mounts: within, of a part, over another one, and one that is taken away under its file.
    directory("a/inner");
    check(!mount("inner", "a/inner", "tmpfs", 0, NULL), "inner");
    directory("a/inner/c");
    look(make("a/inner/c/file", "inner"));
    directory("part");
    check(!mount("a/inner/c", "part", NULL, MS_BIND, NULL), "bind");
    look(open("part/file", O_RDONLY));
    check(!mount("over", "part", "tmpfs", 0, NULL), "over");
    look(make("part/top", "over"));
    look(open("part", O_RDONLY | O_DIRECTORY));
    directory("away");
    check(!mount("away", "away", "tmpfs", 0, NULL), "away");
    directory("away/d");
    int away = make("away/d/file", "away");
    check(!umount2("away", MNT_DETACH), "detach");
    look(away);
    char deep[4096] = "deep";
    for (int i = 0; i < 150; ++i) {
        directory(deep);
        strcat(deep, i % 10 ? "/d" : "/directory");
    }
    look(make(deep, "deep"));

    // Files without a name.
    int pipe_ends[2], sockets[2];
    check(!pipe(pipe_ends) && write(pipe_ends[1], "pipe", 4) == 4, "pipe");
    look(pipe_ends[0]);
    check(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) && write(sockets[1], "socket", 6) == 6, "socketpair");
    look(sockets[0]);
    look(eventfd(1, 0));
    look(epoll_create1(0));
    look(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK));
    int memory = memfd_create("in memory", 0);
    check(memory >= 0 && write(memory, "memory", 6) == 6 && !lseek(memory, 0, SEEK_SET), "memfd");
    look(memory);
    look(open("/proc/self/ns/uts", O_RDONLY));
    look(open("/proc/self/ns/mnt", O_RDONLY));
    look(open("/dev/zero", O_RDONLY));
    look(open("/proc/self/comm", O_RDONLY));
    look(open("/", O_RDONLY | O_DIRECTORY));

    // Another root directory: files below it, its own, and one outside of it.
    int outside = make("outside", "outside");
    directory("jail");
    directory("jail/e");
    check(!chroot("jail"), "chroot");
    look(make("/e/file", "in jail"));
    look(open("/", O_RDONLY | O_DIRECTORY));
    look(outside);
    return 0;
}
