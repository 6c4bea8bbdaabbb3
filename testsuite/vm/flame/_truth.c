// SPDX-License-Identifier: GPL-2.0-or-later
// Does known amounts of one thing and says how much: NAME VALUE per function, as the program itself measures or counts
// it. truth cpu|sleep|lock|wake|alloc|leak|heap|faults|files|net
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

static long microseconds(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}

static volatile long sink;
static void say(const char *name, long value) {
    printf("%s %ld\n", name, value);
}

KEEP static void turn(long n) {
    for (long i = 0; i < n; i++)
        sink += i;
}
KEEP void spin_half(long n) {
    turn(5 * n);
    sink++;
}
KEEP void spin_third(long n) {
    turn(3 * n);
    sink++;
}
KEEP void spin_fifth(long n) {
    turn(2 * n);
    sink++;
}

static void cpu(void) {
    void (*const spins[])(long) = {spin_half, spin_third, spin_fifth};
    long spent[3] = {0}, end = microseconds(CLOCK_MONOTONIC) + 3000000;
    while (microseconds(CLOCK_MONOTONIC) < end)
        for (int i = 0; i < 3; i++) {
            long before = microseconds(CLOCK_THREAD_CPUTIME_ID);
            spins[i](10000);
            spent[i] += microseconds(CLOCK_THREAD_CPUTIME_ID) - before;
        }
    say("spin_half", spent[0]), say("spin_third", spent[1]), say("spin_fifth", spent[2]);
}

KEEP void doze(long us) {
    struct timespec t = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&t, 0);
    sink++;
}
KEEP void sleep_long(void) {
    doze(300000);
    sink++;
}
KEEP void sleep_short(void) {
    doze(200);
    sink++;
}

static void sleeps(void) {
    long began = microseconds(CLOCK_MONOTONIC), between;
    for (int i = 0; i < 5; i++)
        sleep_long();
    between = microseconds(CLOCK_MONOTONIC);
    for (int i = 0; i < 2000; i++)
        sleep_short();
    say("sleep_long", between - began), say("sleep_short", microseconds(CLOCK_MONOTONIC) - between);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

KEEP static void *hold(void *unused) {
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&mutex);
        pthread_barrier_wait(&both);
        doze(20000);
        pthread_mutex_unlock(&mutex);
        pthread_barrier_wait(&both);
    }
    return unused;
}
KEEP void wait_for_lock(void) {
    pthread_mutex_lock(&mutex);
    sink++;
}

static void lock(void) {
    pthread_t other;
    long waited = 0;
    pthread_barrier_init(&both, 0, 2);
    pthread_create(&other, 0, hold, 0);
    for (int i = 0; i < 20; i++) {
        pthread_barrier_wait(&both);
        long before = microseconds(CLOCK_MONOTONIC);
        wait_for_lock();
        waited += microseconds(CLOCK_MONOTONIC) - before;
        pthread_mutex_unlock(&mutex);
        pthread_barrier_wait(&both);
    }
    pthread_join(other, 0);
    say("wait_for_lock", waited);
}

static int ends[2];
KEEP void wait_for_byte(void) {
    char c;
    if (read(ends[0], &c, 1) != 1) abort();
    sink++;
}
KEEP void send_byte(void) {
    if (write(ends[1], "x", 1) != 1) abort();
    sink++;
}
KEEP static void *sender(void *unused) {
    for (int i = 0; i < 20; i++)
        doze(20000), send_byte();
    return unused;
}

static void wake(void) {
    pthread_t other;
    if (pipe(ends)) abort();
    long before = microseconds(CLOCK_MONOTONIC);
    pthread_create(&other, 0, sender, 0);
    for (int i = 0; i < 20; i++)
        wait_for_byte();
    say("wait_for_byte", microseconds(CLOCK_MONOTONIC) - before),
        say("send_byte", microseconds(CLOCK_MONOTONIC) - before);
    pthread_join(other, 0);
}

static void *kept[1000];
KEEP void allocate_large(int i) {
    kept[i] = malloc(100000);
    sink++;
}
KEEP void allocate_small(int i) {
    kept[i] = calloc(10, 10);
    sink++;
}
KEEP void grow_one(int i) {
    kept[i] = realloc(kept[i], 5000);
    sink++;
}

static void allocate(int leak) {
    for (int i = 0; i < 100; i++)
        allocate_large(i);
    for (int i = 100; i < 900; i++)
        allocate_small(i);
    for (int i = 100; i < 150; i++)
        grow_one(i);
    for (int i = 0; i < 900; i++)
        if (!leak || i % 10) free(kept[i]);
    // Every tenth stays: 10 of the large ones; 80 of the small ones, of which 5 grew.
    say("allocate_large", leak ? 10 * 100000 : 100 * 100000), say("allocate_small", leak ? 75 * 100 : 800 * 100);
    say("grow_one", leak ? 5 * 5000 : 50 * 5000);
}

KEEP void map_more(void) {
    if (mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) abort();
    sink++;
}
KEEP void break_more(void) {
    if (sbrk(65536) == (void *)-1) abort();
    sink++;
}

static void heap(void) {
    sbrk(0);
    for (int i = 0; i < 10; i++)
        map_more(), break_more();
    say("map_more", 10 << 20), say("break_more", 10 * 65536);
}

KEEP void touch(char *at, long pages) {
    for (long i = 0; i < pages; i++)
        at[i * 4096] = 1;
}

static void faults(void) {
    char *at = mmap(0, 5000 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) abort();
    madvise(at, 5000 * 4096, MADV_NOHUGEPAGE);
    touch(at, 5000);
    say("touch", 5000);
}

static char data[8192];
KEEP void write_block(int fd) {
    if (write(fd, data, sizeof data) != sizeof data) abort();
    sink++;
}
KEEP void read_block(int fd) {
    if (read(fd, data, 1000) != 1000) abort();
    sink++;
}

static void files(void) {
    int fd = open("truth.data", O_CREAT | O_RDWR | O_TRUNC, 0600);
    for (int i = 0; i < 100; i++)
        write_block(fd);
    lseek(fd, 0, SEEK_SET);
    for (int i = 0; i < 200; i++)
        read_block(fd);
    say("write_block", 100 * 8192), say("read_block", 200 * 1000);
}

KEEP void send_block(int fd) {
    if (send(fd, data, 3000, 0) != 3000) abort();
    sink++;
}
KEEP void receive_block(int fd) {
    if (recv(fd, data, 3000, MSG_WAITALL) != 3000) abort();
    sink++;
}

static void net(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) abort();
    for (int i = 0; i < 100; i++)
        send_block(pair[0]), receive_block(pair[1]);
    say("send_block", 100 * 3000), say("receive_block", 100 * 3000);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "cpu"))
        cpu();
    else if (!strcmp(what, "sleep"))
        sleeps();
    else if (!strcmp(what, "lock"))
        lock();
    else if (!strcmp(what, "wake"))
        wake();
    else if (!strcmp(what, "alloc"))
        allocate(0);
    else if (!strcmp(what, "leak"))
        allocate(1);
    else if (!strcmp(what, "heap"))
        heap();
    else if (!strcmp(what, "faults"))
        faults();
    else if (!strcmp(what, "files"))
        files();
    else if (!strcmp(what, "net"))
        net();
    else
        return 2;
    return 0;
}
