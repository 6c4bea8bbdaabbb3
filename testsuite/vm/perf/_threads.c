// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that make page faults between enter() and leave(), and what the kernel accounts to each.
//
//   threads COUNT PAGES [wait]    with "wait" they go on when a line comes on standard input
//
// "thread TID FAULTS" for each, "thread process FAULTS" of main() in the end; as "others" "other" instead. Two of the
// threads are those of a child.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static long pages;
static const char *name;
static volatile int entered, left;

__attribute__((noinline)) void enter(void) {
    entered++;
}
__attribute__((noinline)) void leave(void) {
    left++;
}

static long faults(int who) {
    struct rusage usage;

    memset(&usage, 1, sizeof usage);
    getrusage(who, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

static void part(long *sum) {
    char *memory = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long before;

    madvise(memory, (size_t)pages * 4096, MADV_NOHUGEPAGE);
    enter();
    before = faults(RUSAGE_THREAD);
    for (long i = 0; i < pages; i++) {
        memory[i * 4096] = 1;
        if (i % 16 == 0) sched_yield();
    }
    *sum += faults(RUSAGE_THREAD) - before;
    leave();
    munmap(memory, (size_t)pages * 4096);
}

static void *work(void *unused) {
    char text[64];
    long sum = 0, warm = 0;
    int length;

    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    // The first has faults of its own: code of the probes is mapped.
    part(&warm);
    for (int i = 0; i < 3; i++)
        part(&sum);
    length = snprintf(text, sizeof text, "%s %d %ld\n", name, gettid(), sum);
    if (write(STDOUT_FILENO, text, (size_t)length) != length) _exit(1);
    return unused;
}

static void run(int count, int wait) {
    pthread_t threads[16];
    char line;

    pthread_mutex_lock(&gate);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    if (wait && read(STDIN_FILENO, &line, 1) != 1) _exit(1);
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    long before = faults(RUSAGE_SELF);
    int count = atoi(argv[1]);
    pid_t child;

    pages = atol(argv[2]);
    name = strstr(argv[0], "others") ? "other" : "thread";
    getppid();
    run(count, argc > 3);
    child = fork();
    if (!child) {
        run(2, 0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("%s process %ld\n", name, faults(RUSAGE_SELF) + faults(RUSAGE_CHILDREN) - before);
    fflush(stdout);
    if (argc > 4) execl(argv[4], argv[4], "0", "20", NULL);
    return 0;
}
