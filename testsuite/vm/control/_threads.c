// SPDX-License-Identifier: GPL-2.0-or-later
/* _threads N: N threads call stay(), which sleeps; it ends, and they with it, when all of them are in the system call.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) int stay(int seconds) {
    struct timespec time = {.tv_sec = seconds};
    return nanosleep(&time, NULL) + (int)time.tv_nsec;
}

static void *run(void *unused) {
    (void)unused;
    stay(100000);
    return NULL;
}

/* How many threads are asleep in the call. */
static int asleep(void) {
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *task;
    int count = 0;

    while (tasks && (task = readdir(tasks))) {
        char path[400];
        long number = -1;
        snprintf(path, sizeof path, "/proc/self/task/%s/syscall", task->d_name);
        FILE *file = fopen(path, "r");
        if (!file) continue;
        if (fscanf(file, "%ld", &number) == 1 && (number == SYS_nanosleep || number == SYS_clock_nanosleep)) count++;
        fclose(file);
    }
    if (tasks) closedir(tasks);
    return count;
}

int main(int argc, char **argv) {
    int wanted = argc > 1 ? atoi(argv[1]) : 0;
    pthread_attr_t attributes;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 32768);
    for (int i = 0; i < wanted; i++) {
        pthread_t thread;
        int error = pthread_create(&thread, &attributes, run, NULL);
        if (error) {
            fprintf(stderr, "thread %d: %s\n", i, strerror(error));
            return 1;
        }
    }
    while (asleep() < wanted)
        sched_yield();
    return 0;
}
