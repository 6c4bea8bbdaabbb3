// SPDX-License-Identifier: GPL-2.0-or-later
// Sleeps, has children and threads, moves to another CPU and back, and sends itself a signal; says what it knows of
// that.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void on(int cpu) {
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus)) exit(1);
}

static void *nothing(void *unused) {
    return unused;
}

int main(void) {
    struct rusage before, after;
    pthread_t thread;

    on(0);
    getppid();  // from here on
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < 50; i++)
        usleep(1000);
    getrusage(RUSAGE_SELF, &after);
    getppid();  // to here
    printf("switches %ld\nsleeps 50\n", after.ru_nvcsw - before.ru_nvcsw + after.ru_nivcsw - before.ru_nivcsw);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        int status;

        if (!child) {
            // Its own, when it is on its way.
            usleep(2000);
            _exit(i);
        }
        printf("fork %d\n", child);
        fflush(stdout);
        if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != i) return 2;
    }
    for (int i = 0; i < 3; i++) {
        pthread_create(&thread, NULL, nothing, NULL);
        pthread_join(thread, NULL);
    }
    on(1);
    on(0);
    signal(SIGUSR1, SIG_IGN);
    kill(getpid(), SIGUSR1);
    getchar();  // until the test is done with the rest
    return 0;
}
