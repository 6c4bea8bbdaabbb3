// SPDX-License-Identifier: GPL-2.0-or-later
// A program of some milliseconds, of which there are many: NUMBER is in the names of its functions. It says which were
// entered.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define JOINED(name, number) name##number
#define NAMED(name, number) JOINED(name, number)
#define INNER NAMED(inner, NUMBER)
#define MIDDLE NAMED(middle, NUMBER)
#define OUTER NAMED(outer, NUMBER)
#define THREAD NAMED(thread, NUMBER)

static __thread const char *chain[8];
static __thread int depth;

__attribute__((noinline)) long INNER(int calls) {
    long sum = 0;
    chain[depth++] = __func__;
    for (int i = 0; i < calls; i++)
        sum += getppid();
    return sum;
}

__attribute__((noinline)) long MIDDLE(int calls) {
    char room[300];
    chain[depth++] = __func__;
    __asm__ volatile("" : : "r"(room) : "memory");
    return INNER(calls) + (room[0] = 0);
}

__attribute__((noinline)) long OUTER(int calls) {
    chain[depth++] = __func__;
    return MIDDLE(calls) + calls;
}

static void tell(void) {
    char line[200];
    int length = 0;
    for (int i = depth - 1; i >= 0; i--)
        length += snprintf(line + length, sizeof line - (size_t)length, " %s", chain[i]);
    printf("chain first%d:%s\n", NUMBER, line);
}

__attribute__((noinline)) void *THREAD(void *calls) {
    chain[depth++] = __func__;
    OUTER(*(int *)calls);
    tell();
    return NULL;
}

int main(int argc, char **argv) {
    int calls = argc > 1 ? atoi(argv[1]) : 1, threads = argc > 2 ? atoi(argv[2]) : 0;
    pthread_t started[16];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&started[i], NULL, THREAD, &calls)) return 1;
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    if (threads) return 0;
    chain[depth++] = __func__;
    OUTER(calls);
    tell();
    return 0;
}
