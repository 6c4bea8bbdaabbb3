// SPDX-License-Identifier: GPL-2.0-or-later
// Sleeps for a day, unless its argument is changed, and says who the parent is.
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    struct timespec sleep = {.tv_sec = 86400};

    nanosleep(&sleep, NULL);
    printf("slept\n");
    printf("parent %d\n", getppid());
    return 0;
}
