// SPDX-License-Identifier: GPL-2.0-or-later
// 1,000 threads that sleep until the program is killed.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *thread(void *unused) {
    pause();
    return unused;
}

int main(void) {
    pthread_attr_t small;
    pthread_t one;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    for (int i = 1; i < 1000; i++)
        if (pthread_create(&one, &small, thread, NULL)) return 1;
    puts("ready");
    fflush(stdout);
    thread(NULL);
    return 0;
}
