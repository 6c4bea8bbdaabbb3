// SPDX-License-Identifier: GPL-2.0-or-later
// Says how many arguments it has, after a signal and a thread.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>

static volatile int signals;

static void handler(int number) {
    signals += number == SIGUSR1;
}

static void *run(void *data) {
    raise(SIGUSR1);
    return data;
}

int main(int argc, char **argv) {
    pthread_t thread;
    void *result = NULL;

    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    pthread_create(&thread, NULL, run, &argc);
    pthread_join(thread, &result);
    printf("%d arguments, the last is %s, %d signals, %d\n", argc, argv[argc - 1], signals, result == &argc);
    return 0;
}
