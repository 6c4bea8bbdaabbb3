// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for locks and for other things, and says how long it waited in each of its functions: NAME MICROSECONDS.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define KEEP __attribute__((noinline, noipa))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other_mutex = PTHREAD_MUTEX_INITIALIZER, inherited;
static pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER, writers = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t started, rounds;
static sem_t semaphore;
static volatile int told, sink;
static int word = 7;

static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000;
}
static void doze(void) {
    nanosleep(&(struct timespec){0, 150000000}, 0);
}

// Holds all locks, and then lets go one by one.
static void *hold(void *unused) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&inherited);
    pthread_rwlock_wrlock(&readers);
    pthread_rwlock_rdlock(&writers);
    pthread_barrier_wait(&started);
    doze();
    pthread_mutex_unlock(&mutex);
    doze();
    pthread_mutex_unlock(&inherited);
    doze();
    pthread_rwlock_unlock(&readers);
    doze();
    pthread_rwlock_unlock(&writers);
    doze();
    pthread_mutex_lock(&other_mutex);
    told = 1;
    pthread_mutex_unlock(&other_mutex);
    pthread_cond_signal(&condition);
    doze();
    sem_post(&semaphore);
    // Three rounds: their numbers are those that locks have, too.
    for (int i = 0; i < 3; i++) {
        doze();
        pthread_barrier_wait(&rounds);
    }
    doze();
    word = 8;
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    doze();
    return unused;
}

static pthread_t holder;
#define WAIT(name, ...)                               \
    KEEP static void name(void) {                     \
        long before = now();                          \
        __VA_ARGS__;                                  \
        printf("%s %ld\n", __func__, now() - before); \
        sink++;                                       \
    }
WAIT(wait_for_mutex, pthread_mutex_lock(&mutex))
WAIT(wait_for_inherited, pthread_mutex_lock(&inherited))
WAIT(wait_to_read, pthread_rwlock_rdlock(&readers))
WAIT(wait_to_write, pthread_rwlock_wrlock(&writers))
WAIT(wait_for_word, pthread_mutex_lock(&other_mutex); while (!told) pthread_cond_wait(&condition, &other_mutex))
WAIT(wait_for_post, sem_wait(&semaphore))
WAIT(wait_for_rounds, for (int i = 0; i < 3; i++) pthread_barrier_wait(&rounds))
WAIT(wait_for_change, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 7, 0, 0, 0))
WAIT(wait_for_end, pthread_join(holder, 0))

int main(void) {
    pthread_mutexattr_t inherit;
    pthread_mutexattr_init(&inherit);
    pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&inherited, &inherit);
    pthread_barrier_init(&started, 0, 2);
    pthread_barrier_init(&rounds, 0, 2);
    sem_init(&semaphore, 0, 0);
    pthread_create(&holder, 0, hold, 0);
    pthread_setname_np(holder, "holder");
    pthread_barrier_wait(&started);
    wait_for_mutex();
    wait_for_inherited();
    wait_to_read();
    wait_to_write();
    wait_for_word();
    wait_for_post();
    wait_for_rounds();
    wait_for_change();
    wait_for_end();
    return 0;
}
