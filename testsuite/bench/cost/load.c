// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads of known cost for run.sh: load WHAT [COUNT [ROUNDS]] does something COUNT times a round, below 20 frames, and
 * prints the nanoseconds of one time in the best round, and how often it did it in all. A first round, which is not
 * measured, brings in everything.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAMES 20
#define PAGES 16

static int fd, file, disk, pair[2], there[2], back[2];
static char block[4096] __attribute__((aligned(4096)));
static volatile unsigned long sink;

/* Begins with an instruction that the kernel executes out of line. */
__attribute__((noinline)) long load_called(long number) {
    __asm__ volatile("" : "+r"(number));
    return number + 1;
}

/* Begins with a push, which the kernel emulates. */
__attribute__((noinline, naked)) long load_pushed(long number) {
    __asm__("push %rbx\n\tlea 1(%rdi), %rax\n\tpop %rbx\n\tret");
}

/* Leaves by a jump, so that the kernel has to follow its calls. */
__attribute__((noinline, naked)) long load_left(long number) {
    __asm__("nop\n\tjmp load_called");
}

static __attribute__((noinline)) long load_passed(long number) {
    __asm__ volatile(
        "991: nop\n"
        ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 993f-992f, 995f-994f, 3\n"
        "992: .asciz \"stapsdt\"\n993: .balign 4\n"
        "994: .8byte 991b\n.8byte 0\n.8byte 0\n"
        ".asciz \"load\"\n.asciz \"passed\"\n.asciz \"-8@%0\"\n995: .balign 4\n.popsection\n"
        :
        : "r"(number));
    return 1;
}

static void do_read(void) {
    char byte;

    if (read(fd, &byte, 1) != 1) abort();
}

static void do_write(void) {
    if (pwrite(file, "load", 4, 0) != 4) abort();
}

static void do_open(void) {
    int other = open("/dev/zero", O_RDONLY);

    if (other < 0 || close(other)) abort();
}

static void do_rename(void) {
    prctl(PR_SET_NAME, "load");
}

static void do_call(void) {
    sink += load_called(1);
}

static void do_push(void) {
    sink += load_pushed(1);
}

static void do_leave(void) {
    sink += load_left(1);
}

static void do_mark(void) {
    sink += load_passed(1);
}

static void do_malloc(void) {
    void *volatile memory = malloc(100);

    free(memory);
}

static void do_allocators(void) {
    void *volatile memory = calloc(10, 10);

    memory = realloc(memory, 200);
    free(memory);
}

static void do_brk(void) {
    if (sbrk(4096) == (void *)-1) abort();
}

static void do_map(void) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED || munmap(memory, 4096)) abort();
}

static void do_fault(void) {
    char *memory = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int page;

    madvise(memory, PAGES * 4096, MADV_NOHUGEPAGE);
    for (page = 0; page < PAGES; page++)
        *(volatile char *)(memory + page * 4096) = 1;
    munmap(memory, PAGES * 4096);
}

static void do_net(void) {
    char text[4];

    if (send(pair[0], "load", 4, 0) != 4 || recv(pair[1], text, 4, 0) != 4) abort();
}

/* A disk in memory: the I/O is complete when the call returns. */
static void do_block(void) {
    if (pwrite(disk, block, sizeof(block), 0) != sizeof(block)) abort();
}

static void do_futex(void) {
    static int word;
    struct timespec soon = {0, 1};

    syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &soon, NULL, 0);
}

static void do_switch(void) {
    char byte = 0;

    if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) abort();
}

static void do_spin(void) {
    int i;

    for (i = 0; i < 100000; i++)
        sink += i;
}

/* A second thread answers each byte. */
static __attribute__((noinline)) void *answer(void *unused) {
    char byte;

    while (read(there[0], &byte, 1) == 1)
        if (write(back[1], &byte, 1) != 1) abort();
    return unused;
}

static const struct {
    const char *name;
    void (*act)(void);
    long count;
    clockid_t clock;
} loads[] = {
    {"read", do_read, 2000, CLOCK_THREAD_CPUTIME_ID},      {"write", do_write, 2000, CLOCK_THREAD_CPUTIME_ID},
    {"open", do_open, 2000, CLOCK_THREAD_CPUTIME_ID},      {"rename", do_rename, 2000, CLOCK_THREAD_CPUTIME_ID},
    {"call", do_call, 2000, CLOCK_THREAD_CPUTIME_ID},      {"push", do_push, 2000, CLOCK_THREAD_CPUTIME_ID},
    {"leave", do_leave, 2000, CLOCK_THREAD_CPUTIME_ID},    {"mark", do_mark, 2000, CLOCK_THREAD_CPUTIME_ID},
    {"malloc", do_malloc, 1000, CLOCK_THREAD_CPUTIME_ID},  {"allocators", do_allocators, 500, CLOCK_THREAD_CPUTIME_ID},
    {"brk", do_brk, 1000, CLOCK_THREAD_CPUTIME_ID},        {"map", do_map, 1000, CLOCK_THREAD_CPUTIME_ID},
    {"fault", do_fault, 100, CLOCK_THREAD_CPUTIME_ID},     {"net", do_net, 1000, CLOCK_THREAD_CPUTIME_ID},
    {"block", do_block, 1000, CLOCK_THREAD_CPUTIME_ID},    {"futex", do_futex, 500, CLOCK_PROCESS_CPUTIME_ID},
    {"switch", do_switch, 1000, CLOCK_PROCESS_CPUTIME_ID}, {"spin", do_spin, 1000, CLOCK_MONOTONIC},
};

static double now(clockid_t clock) {
    struct timespec t;

    clock_gettime(clock, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static double best = 1e18;

static __attribute__((noinline)) void rounds_of(size_t which, long count, int rounds) {
    int round;

    for (round = 0; round <= rounds; round++) {
        double start = now(loads[which].clock), each;
        long i;

        for (i = 0; i < count; i++)
            loads[which].act();
        each = (now(loads[which].clock) - start) / count;
        if (round && each < best) best = each;
    }
}

static __attribute__((noinline)) void descend(int frames, size_t which, long count, int rounds) {
    if (frames)
        descend(frames - 1, which, count, rounds);
    else
        rounds_of(which, count, rounds);
    __asm__ volatile("");
}

int main(int argc, char **argv) {
    size_t which = 0, all = sizeof(loads) / sizeof(*loads);
    pthread_t thread;
    long count;
    int rounds;

    while (which < all && strcmp(loads[which].name, argc > 1 ? argv[1] : "read"))
        which++;
    if (which == all) return 2;
    count = argc > 2 ? atol(argv[2]) : loads[which].count;
    rounds = argc > 3 ? atoi(argv[3]) : 6;
    fd = open("/dev/zero", O_RDONLY);
    file = open("/tmp/load-file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (loads[which].act == do_block && (disk = open("/dev/ram0", O_RDWR | O_DIRECT)) < 0) return 1;
    if (fd < 0 || file < 0 || socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) || pipe(there) || pipe(back)) return 1;
    if (loads[which].act == do_switch && pthread_create(&thread, NULL, answer, NULL)) return 1;
    descend(FRAMES, which, count, rounds);
    printf("%.1f %ld\n", best, count * (rounds + 1));
    return 0;
}
