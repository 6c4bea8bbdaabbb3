// SPDX-License-Identifier: GPL-2.0-or-later
// Threads that change the process's mappings all the time.
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

volatile long busy_number = 4711;

static void *work(void *unused) {
    for (;;) {
        char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        *page = 1;
        munmap(page, 4096);
    }
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    pause();
    return 0;
}
