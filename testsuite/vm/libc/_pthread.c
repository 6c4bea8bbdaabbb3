// SPDX-License-Identifier: GPL-2.0-or-later
// Locks in known states. Each write is what pthread.stp's functions should say of what the four words before the text
// point at.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    pthread_mutex_t *mutex;
    pthread_rwlock_t *lock;
    pthread_cond_t *condition;
    pthread_t thread;
    char text[200];
} record;
static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER,
                       held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, shared;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waiting, reading, over, other;

static void say(pthread_mutex_t *mutex, pthread_t thread, int owner, int depth, const char *type, int writer,
                int readers, int waiters, int tid) {
    record.mutex = mutex;
    record.lock = &lock;
    record.condition = &condition;
    record.thread = thread;
    snprintf(record.text, sizeof(record.text), "owner %d depth %d type %s writer %d readers %d waiters %d tid %d\n",
             owner, depth, type, writer, readers, waiters, tid);
    if (write(1, record.text, strlen(record.text)) < 0) _exit(1);
}

static void *wait_for_it(void *unused) {
    (void)unused;
    pthread_mutex_lock(&guard);
    waiting++;
    while (!over)
        pthread_cond_wait(&condition, &guard);
    pthread_mutex_unlock(&guard);
    return 0;
}

static void *read_and_hold(void *unused) {
    (void)unused;
    pthread_mutex_lock(&held);
    pthread_rwlock_rdlock(&lock);
    pthread_mutex_lock(&guard);
    other = gettid();
    reading = 1;
    while (!over)
        pthread_cond_wait(&condition, &guard);
    pthread_mutex_unlock(&guard);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&held);
    return 0;
}

int main(void) {
    pthread_mutexattr_t attributes;
    pthread_t threads[4];
    int me = gettid();

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared, &attributes);

    say(&plain, pthread_self(), 0, 0, "normal", 0, 0, 0, me);
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&shared);
    pthread_rwlock_wrlock(&lock);
    say(&plain, pthread_self(), me, 1, "normal", me, 0, 0, me);
    say(&recursive, pthread_self(), me, 3, "recursive", me, 0, 0, me);
    say(&shared, pthread_self(), me, 1, "errorcheck robust inherit shared", me, 0, 0, me);
    pthread_rwlock_unlock(&lock);

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, wait_for_it, 0);
    pthread_create(&threads[3], 0, read_and_hold, 0);
    for (int ready = 0; !ready; usleep(1000)) {
        pthread_mutex_lock(&guard);
        ready = waiting == 3 && reading;
        // All are in their waits while this thread has the guard.
        if (ready) say(&held, threads[3], other, 1, "normal", 0, 1, 4, other);
        pthread_mutex_unlock(&guard);
    }
    pthread_mutex_lock(&guard);
    over = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&guard);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    return 0;
}
