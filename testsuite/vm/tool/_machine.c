// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * machine WHAT [NUMBER...]: makes the kernel work for memory and processors as often as it is told, and prints what the
 * kernel counted for the process, where it does.
 *
 * Times are in milliseconds. Exits with 1 if anything that has to work does not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void must(int good, const char *what) {
    if (good) return;
    perror(what);
    exit(1);
}

static void sleep_ms(long ms) {
    struct timespec t = {ms / 1000, ms % 1000 * 1000000};

    while (nanosleep(&t, &t) && errno == EINTR)
        ;
}

static void run_on(int processor) {
    cpu_set_t cpu;

    CPU_ZERO(&cpu);
    CPU_SET(processor, &cpu);
    must(!sched_setaffinity(0, sizeof(cpu), &cpu), "sched_setaffinity");
}

/* N pages of small size, each of which is touched. */
static char *pages(long n) {
    char *p = mmap(0, n << 12, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    must(p != MAP_FAILED, "mmap");
    madvise(p, n << 12, MADV_NOHUGEPAGE);
    for (long i = 0; i < n; i++)
        p[i << 12] = 1;
    return p;
}

/* N pages, more than its control group may have, are used twice; prints how often it waited for a disk. */
static void swapped(long n) {
    struct rusage before, after;
    char *p;

    must(!mlockall(MCL_CURRENT), "mlockall");
    getrusage(RUSAGE_SELF, &before);
    p = pages(n);
    for (long i = 0; i < n; i++)
        p[i << 12]++;
    getrusage(RUSAGE_SELF, &after);
    fprintf(stderr, "%ld\n", after.ru_majflt - before.ru_majflt);
}

/* Every second one of N pages is given back, so that free memory is in pieces. Then stops. */
static void pieces(long n) {
    char *p = pages(n);

    for (long i = 0; i < n; i += 2)
        must(!madvise(p + (i << 12), 4096, MADV_DONTNEED), "MADV_DONTNEED");
    raise(SIGSTOP);
}

static volatile int over;

static void *runs(void *unused) {
    run_on(1);
    while (!over)
        ;
    return unused;
}

/* A page is touched and given back N times, while another thread runs on the other processor. */
static void shootdowns(long n) {
    pthread_t thread;
    char *p = pages(1);

    run_on(0);
    must(!pthread_create(&thread, 0, runs, 0), "thread");
    sleep_ms(100);
    while (n-- > 0) {
        must(!madvise(p, 4096, MADV_DONTNEED), "MADV_DONTNEED");
        *p = 1;
    }
    over = 1;
    pthread_join(thread, 0);
}

/* N pages of memory node 1, which it uses again and again for so long. */
static void far_pages(long n, long ms) {
    unsigned long second = 2;
    struct timespec t;
    char *p;

    must(!syscall(SYS_set_mempolicy, 2, &second, 8 * sizeof(second)), "set_mempolicy");
    p = pages(n);
    must(!syscall(SYS_set_mempolicy, 0, 0, 0), "set_mempolicy");
    do {
        for (long i = 0; i < n; i++)
            p[i << 12]++;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    } while (t.tv_sec * 1000 + t.tv_nsec / 1000000 < ms);
}

static void is_told(int number) {
    (void)number;
}

/* N pages fail. Some kernels tell the program at once. */
static void poisoned(long n) {
    struct sigaction told = {.sa_handler = is_told};
    char *p = pages(n);

    sigaction(SIGBUS, &told, 0);
    for (long i = 0; i < n; i++)
        must(!madvise(p + (i << 12), 4096, MADV_HWPOISON), "MADV_HWPOISON");
}

/* N calls of a function that no other program makes. */
static void calls(long n) {
    while (n-- > 0)
        syscall(SYS_getppid);
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    long n = argc > 2 ? atol(argv[2]) : 0, ms = argc > 3 ? atol(argv[3]) : 0;

    if (!strcmp(what, "swapped"))
        swapped(n);
    else if (!strcmp(what, "pieces"))
        pieces(n);
    else if (!strcmp(what, "shootdowns"))
        shootdowns(n);
    else if (!strcmp(what, "far"))
        far_pages(n, ms);
    else if (!strcmp(what, "poisoned"))
        poisoned(n);
    else if (!strcmp(what, "calls"))
        calls(n);
    else
        return 2;
    return 0;
}
