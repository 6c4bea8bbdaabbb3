// SPDX-License-Identifier: GPL-2.0-or-later
// The work that ordinary programs have a C library do: threads sort, format and search, and wait for locks, conditions
// and a pipe, for so many seconds. _musl SECONDS
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int pipes[2];
static long turns;

__attribute__((noipa)) static int by_value(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

__attribute__((noipa)) static void sort(unsigned seed) {
    int values[2000];
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        values[i] = rand_r(&seed);
    qsort(values, sizeof values / sizeof *values, sizeof *values, by_value);
}

__attribute__((noipa)) static size_t format(double value) {
    char text[200];
    snprintf(text, sizeof text, "%.17g %s %08x %Lf", value, "text", (unsigned)value, (long double)value / 3);
    return strlen(text) + (size_t)strtod(text, NULL);
}

__attribute__((noipa)) static void allocate(unsigned seed) {
    char *blocks[64] = {NULL};
    for (int i = 0; i < 256; i++) {
        char **block = &blocks[rand_r(&seed) % 64];
        free(*block);
        *block = malloc(1 + (size_t)rand_r(&seed) % 5000);
        if (*block) memset(*block, 1, 1);
    }
    for (int i = 0; i < 64; i++)
        free(blocks[i]);
}

__attribute__((noipa)) static void nap(void) {
    const struct timespec moment = {0, 3000000};
    nanosleep(&moment, NULL);
}

__attribute__((noipa)) static int descend(int level) {
    const int below = level ? descend(level - 1) : 0;
    if (!level) nap();
    __asm__ volatile("" : : : "memory");
    return below + 1;
}

static void *work(void *number) {
    unsigned seed = (unsigned)(size_t)number;
    while (!stop) {
        sort(seed++);
        for (int i = 0; i < 50; i++)
            format(1e9 / ++seed);
        allocate(seed);
        pthread_mutex_lock(&lock);
        turns++;
        descend((int)(seed % 20));
        pthread_cond_signal(&turn);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *await(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!stop) {
        pthread_cond_wait(&turn, &lock);
        if (write(pipes[1], "x", 1) != 1) break;
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *take(void *unused) {
    char byte;
    (void)unused;
    while (read(pipes[0], &byte, 1) == 1)
        format(byte);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[4];
    if (argc != 2 || pipe(pipes)) return 2;
    const time_t end = time(NULL) + atoi(argv[1]);
    pthread_create(&threads[0], NULL, work, (void *)1);
    pthread_create(&threads[1], NULL, work, (void *)2);
    pthread_create(&threads[2], NULL, await, NULL);
    pthread_create(&threads[3], NULL, take, NULL);
    while (time(NULL) < end) {
        sort(3);
        descend(5);
    }
    stop = 1;
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pthread_cond_signal(&turn);
    pthread_join(threads[2], NULL);
    close(pipes[1]);
    pthread_join(threads[3], NULL);
    printf("%ld turns\n", turns);
    return 0;
}
