// SPDX-License-Identifier: GPL-2.0-or-later
// Forks within calls that parent and child return from. "returned N sum N": how often `deep` did, and of what.
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct { long returned, sum; } * all; /* of all processes */

static __attribute__((noinline)) int deep(int n, int level) {
    int mine = 1;

    if (level) {
        mine = deep(n + 1, level - 1);
    } else {
        pid_t child = fork();

        if (child) waitpid(child, NULL, 0);
        mine = child != 0;
    }
    __atomic_add_fetch(&all->returned, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&all->sum, n, __ATOMIC_RELAXED);
    return mine;
}

static void *thread(void *unused) {
    for (int i = 0; i < 20; i++)
        if (!deep(i, 3)) _exit(0);
    return unused;
}

int main(void) {
    pthread_t other;

    all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    thread(NULL);
    pthread_create(&other, NULL, thread, NULL);
    thread(NULL);
    pthread_join(other, NULL);
    printf("returned %ld sum %ld\n", all->returned, all->sum);
    return 0;
}
