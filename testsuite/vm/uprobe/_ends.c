// SPDX-License-Identifier: GPL-2.0-or-later
// Threads, processes and programs that end inside of a function; at last the function returns 100 times.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum end { THREAD, PROCESS, PROGRAM, NONE };

static char *self;

__attribute__((noinline)) int inside(enum end end) {
    switch (end) {
        case THREAD:
            pthread_exit(NULL);
        case PROCESS:
            _exit(0);
        case PROGRAM:
            execl(self, self, "nothing", NULL);
            abort();
        default:
            return (int)end * 2;
    }
}

static void *thread(void *unused) {
    return (void *)(long)inside(THREAD);
}

static void end_in_child(enum end end) {
    pid_t child = fork();

    if (!child) exit(inside(end));
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? atoi(argv[1]) : 0, processes = argc > 2 ? atoi(argv[2]) : 0;

    self = argv[0];
    for (int i = 0; i < threads; i++) {
        pthread_t one;

        if (!pthread_create(&one, NULL, thread, NULL)) pthread_join(one, NULL);
    }
    for (int i = 0; i < processes; i++)
        end_in_child(i % 2 ? PROCESS : PROGRAM);
    for (int i = 0; processes && i < 100; i++)
        inside(NONE);
    return 0;
}
