// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that fail, and a place to look from.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

__attribute__((noinline)) void look(void) {
    __asm__ volatile("");
}

static void *other(void *unused) {
    close(-1);
    look();
    return unused;
}

int main(void) {
    pthread_t thread;

    open("/nonexistent", O_RDONLY);
    look();
    pthread_create(&thread, NULL, other, NULL);
    pthread_join(thread, NULL);
    return 0;
}
