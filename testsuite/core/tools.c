// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings for the tools that look at cores: threads that wait for each other, a list that became a circle, pieces
 * of the heap of one size, long texts. It says what it made, then "ready", and sleeps. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct item {
    struct item *next;
    int number;
};

struct item *circle, *good;
void *pieces[500];
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;

static void say(const char *what, void *mutex) {
    flockfile(stdout);
    printf("%s %d %p\n", what, gettid(), mutex);
    fflush(stdout);
    funlockfile(stdout);
}

static void *forwards(void *unused) {
    pthread_mutex_lock(&first);
    pthread_barrier_wait(&both);
    say("forwards", &second);
    pthread_mutex_lock(&second);
    return unused;
}

static void *backwards(void *unused) {
    pthread_mutex_lock(&second);
    pthread_barrier_wait(&both);
    say("backwards", &first);
    pthread_mutex_lock(&first);
    return unused;
}

static void *outside(void *unused) {
    while (pthread_mutex_trylock(&first) == 0) {
        pthread_mutex_unlock(&first);
        usleep(1000);
    }
    say("outside", &first);
    pthread_mutex_lock(&first);
    return unused;
}

static struct item *list_of(int count, int behind) {
    struct item *items = calloc((size_t)count, sizeof(*items)), *head = items;

    for (int i = 0; i < count; i++) {
        items[i].number = i * 10;
        items[i].next = i + 1 < count ? &items[i + 1] : behind >= 0 ? &items[behind] : NULL;
    }
    return head;
}

int main(void) {
    pthread_t threads[3];

    circle = list_of(7, 2);
    good = list_of(3, -1);
    for (int i = 0; i < 500; i++)
        pieces[i] = malloc(5000);
    for (int i = 0; i < 3; i++) {
        char *text = malloc(400);

        memset(text, 'a' + i, (size_t)(100 + 50 * i));
        text[100 + 50 * i] = 0;
        pieces[i] = text;
    }
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&threads[0], NULL, forwards, NULL);
    pthread_create(&threads[1], NULL, backwards, NULL);
    pthread_create(&threads[2], NULL, outside, NULL);
    for (;;)
        pause();
}
