// SPDX-License-Identifier: GPL-2.0-or-later
// Two phases with a second between them, in two threads: 300 calls of one(), 200 of two().
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

__attribute__((noinline)) void one(int i) {
    __asm__ volatile("" : : "r"(i));
}

__attribute__((noinline)) void two(int i) {
    __asm__ volatile("" : : "r"(i));
}

static void *second(void *argument) {
    int i;

    for (i = 0; i < 200; i++)
        two(i);
    return argument;
}

int main(void) {
    pthread_t thread;
    int i;

    for (i = 0; i < 300; i++)
        one(i);
    sleep(1);
    pthread_create(&thread, NULL, second, NULL);
    pthread_join(thread, NULL);
    return 0;
}
