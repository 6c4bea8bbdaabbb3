// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for a lock of the kernel and says how often and how long: "wait_for_pipe NANOSECONDS" and "waits NUMBER". One
// thread holds the lock of a pipe, because it writes from a page that does not come (userfaultfd); another one writes
// to the pipe meanwhile.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20 };
static int ends[2];
static char *pages;
static pthread_barrier_t barrier;
static long waited;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static long nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void *hold_pipe(void *none) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        if (write(ends[1], pages + i * 4096L, 8) != 8) fail("write");
        pthread_barrier_wait(&barrier);
    }
    return none;
}

__attribute__((noinline, noipa)) void wait_for_pipe(void) {
    const long began = nanoseconds();
    if (write(ends[1], "x", 1) != 1) fail("write");
    waited += nanoseconds() - began;
}

static void *come_later(void *none) {
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&barrier);
        usleep(40000);
        wait_for_pipe();
        pthread_barrier_wait(&barrier);
    }
    return none;
}

int main(void) {
    const int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
    struct uffdio_api api = {.api = UFFD_API};
    if (faults < 0 || ioctl(faults, UFFDIO_API, &api)) fail("userfaultfd");
    pages = mmap(NULL, ROUNDS * 4096L, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct uffdio_register all = {{(unsigned long)pages, ROUNDS * 4096L}, UFFDIO_REGISTER_MODE_MISSING, 0};
    if (ioctl(faults, UFFDIO_REGISTER, &all) || pipe(ends)) fail("userfaultfd");
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_t holder, waiter;
    pthread_create(&holder, NULL, hold_pipe, NULL);
    pthread_create(&waiter, NULL, come_later, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        struct uffd_msg message;
        char drained[16];
        pthread_barrier_wait(&barrier);
        if (read(faults, &message, sizeof message) != sizeof message) fail("read");
        usleep(120000);
        struct uffdio_zeropage page = {{(unsigned long)pages + i * 4096UL, 4096}, 0, 0};
        if (ioctl(faults, UFFDIO_ZEROPAGE, &page)) fail("UFFDIO_ZEROPAGE");
        pthread_barrier_wait(&barrier);
        if (read(ends[0], drained, sizeof drained) != 9) fail("drain");
    }
    printf("wait_for_pipe %ld\nwaits %d\n", waited, ROUNDS);
    return 0;
}
