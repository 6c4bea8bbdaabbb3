// SPDX-License-Identifier: GPL-2.0-or-later
/* The process of the snapshots: a list, a hash table, variables of threads, a file in memory of which nothing was read.
 * "looked FILE busy" has a thread that never sleeps, "looked FILE end" ends when it is told to by its standard input.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum color { RED, GREEN, BLUE = 7 };

struct node {
    struct node *next;
    long value;
    enum color color;
    char name[16];
};

#define BUCKETS 8
#define FILE_BYTES (1 << 20)

struct node *list;
struct node *table[BUCKETS];
const char *text_of_file;
struct node *circle;
static __thread long per_thread;
static pthread_barrier_t ready;
static volatile int never;

static struct node *make(const char *name, long number) {
    struct node *node = calloc(1, sizeof(*node));

    node->value = number * number % 1000;
    node->color = number % 3 == 2 ? BLUE : number % 3;
    snprintf(node->name, sizeof(node->name), "%s-%ld", name, number);
    return node;
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

static void *busy(void *argument) {
    (void)argument;
    pthread_barrier_wait(&ready);
    while (!never)
        ;
    return NULL;
}

int main(int argc, char **argv) {
    struct node **end = &list;
    pthread_t thread;
    long i;

    (void)argc;
    per_thread = 100;
    for (i = 0; i < 1000; i++) {
        *end = make("node", i);
        end = &(*end)->next;
    }
    for (i = 0; i < 40; i++) {
        struct node *node = make("entry", i);

        node->next = table[i % BUCKETS];
        table[i % BUCKETS] = node;
    }
    circle = make("circle", 1);
    circle->next = circle;
    text_of_file = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, open(argv[1], O_RDONLY), 0);
    pthread_barrier_init(&ready, NULL, 4);
    for (i = 0; i < 2; i++)
        pthread_create(&thread, NULL, worker, (void *)i);
    pthread_create(&thread, NULL, strcmp(argv[2], "busy") ? worker : busy, (void *)2);
    pthread_barrier_wait(&ready);
    printf("ready\n");
    fflush(stdout);
    if (!strcmp(argv[2], "end")) return getchar();
    while (!never)
        pause();
    return 0;
}
