// SPDX-License-Identifier: GPL-2.0-or-later
// ends THREADS PROCESSES: threads, processes and programs that end inside of a function; at last it returns 100 times.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum end { THREAD, PROCESS, PROGRAM, NONE };

static char *self;
static pthread_barrier_t all_there;

__attribute__((noinline)) int inside(enum end end) {
    switch (end) {
        case THREAD:
            pthread_exit(NULL);
        case PROCESS:
            _exit(0);
        case PROGRAM:
            execl(self, self, "0", "0", NULL);
            abort();
        default:
            return (int)end * 2;
    }
}

static void *end_inside(void *unused) {
    (void)unused;
    pthread_barrier_wait(&all_there);
    return (void *)(long)inside(THREAD);
}

static void *idle(void *unused) {
    pause();
    return unused;
}

// So many that are there at once.
static void make_threads(int count, void *(*body)(void *), int wait_for_them) {
    pthread_t *threads = calloc(count, sizeof *threads);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    pthread_barrier_init(&all_there, NULL, count);
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], &attributes, body, NULL) != 0) abort();
    for (int i = 0; wait_for_them && i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void end_in_child(enum end end) {
    pid_t child = fork();
    if (!child) exit(inside(end));
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 0, processes = argc > 2 ? atoi(argv[2]) : 0;
    self = argv[0];
    for (int i = 0; i < processes; i++)
        end_in_child(i % 2 ? PROCESS : PROGRAM);
    if (!threads) return 0;
    make_threads(threads, end_inside, 1);
    // These take over what the kernel had for the first ones, and never enter the function.
    make_threads(threads, idle, 0);
    make_threads(threads, end_inside, 1);
    for (int i = 0; i < 100; i++)
        inside(NONE);
    return 0;
}
