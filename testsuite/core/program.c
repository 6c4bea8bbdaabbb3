// SPDX-License-Identifier: GPL-2.0-or-later
/* The program that the scripts look at: a list, a hash table, threads with variables of their own. "program NODES
 * THREADS END" gets ready, says so, and sleeps. If END is "tick", its first thread wakes up all the time; if it is
 * "crash", it dies of a bad pointer. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum color { RED, GREEN, BLUE = 7 };

struct node {
    struct node *next;
    long value;
    enum color color;
    char name[16];
};

struct table {
    unsigned size;
    struct node *buckets[8];
};

struct node *list;
struct table table = {.size = 8};
long zeroes[100];
const char *greeting = "hello from the process";
static __thread long per_thread;
static pthread_barrier_t ready;
static volatile int never;

static void fill(long nodes) {
    struct node **end = &list;
    long i;

    for (i = 0; i < nodes; i++) {
        struct node *node = calloc(1, sizeof(*node));

        node->value = i * i % 1000;
        node->color = i % 3 == 2 ? BLUE : i % 3;
        snprintf(node->name, sizeof(node->name), "node-%ld", i);
        *end = node;
        end = &node->next;
    }
    for (i = 0; i < 20; i++) {
        struct node *node = calloc(1, sizeof(*node));

        node->value = 100 + i;
        snprintf(node->name, sizeof(node->name), "entry-%ld", i);
        node->next = table.buckets[i % 8];
        table.buckets[i % 8] = node;
    }
    zeroes[3] = 33;
}

static __attribute__((noinline)) void wait_here(long number) {
    pthread_barrier_wait(&ready);
    while (!never)
        pause();
    per_thread = number;
}

static void *worker(void *argument) {
    per_thread = 1000 + (long)argument;
    wait_here((long)argument);
    return NULL;
}

static __attribute__((noinline)) void crash(struct node *node) {
    node->value = 1;
}

int main(int argc, char **argv) {
    long threads = argc > 2 ? atol(argv[2]) : 2, i;

    per_thread = 100;
    fill(argc > 1 ? atol(argv[1]) : 10);
    pthread_barrier_init(&ready, NULL, (unsigned)threads + 1);
    for (i = 0; i < threads; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, worker, (void *)i);
    }
    if (argc > 3 && !strcmp(argv[3], "crash")) {
        pthread_barrier_wait(&ready);
        crash((struct node *)16);
    }
    printf("ready\n");
    fflush(stdout);
    if (argc > 3 && !strcmp(argv[3], "tick")) {
        pthread_barrier_wait(&ready);
        while (!never)
            usleep(10000);
    }
    wait_here(-1);
    return 0;
}
