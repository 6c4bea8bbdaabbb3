// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls getppid() below 3500 frames. */
#include <unistd.h>

static int below(int frames) {
    int i, sum = 0;

    if (frames) return below(frames - 1) + 1;
    for (i = 0; i < 1000; i++)
        sum += getppid() > 0;
    return sum;
}

int main(void) {
    return below(3500) < 0;
}
