// SPDX-License-Identifier: GPL-2.0-or-later
// Sleeps for 4 s and says how many milliseconds it took, and who the parent is.
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec before, after, sleep = {.tv_sec = 4};

    clock_gettime(CLOCK_MONOTONIC, &before);
    nanosleep(&sleep, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    printf("slept %ld\n", (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000);
    printf("parent %d\n", getppid());
    return 0;
}
