// SPDX-License-Identifier: GPL-2.0-or-later
// Marks of sys/sdt.h and dtrace. Prints the semaphores when they change, for so many rounds as the argument says, or
// until a line comes in on standard input.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#include "_shop.h"

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : -1, number = 0, before = -1;

    setvbuf(stdout, NULL, _IOLBF, 0);
    for (;;) {
        struct pollfd input = {.fd = 0, .events = POLLIN};
        const int now = shop_sold__out_semaphore * 10 + shop_closed_semaphore;

        if (now != before) printf("semaphores %d %d\n", now / 10, now % 10);
        before = now;
        if (SHOP_SOLD_OUT_ENABLED()) {
            number++;
            SHOP_SOLD_OUT(number, "tea", -5L * number);
        }
        SHOP_CLOSED();
        if (poll(&input, rounds < 0, 10) > 0 || --rounds == 0) break;
    }
    printf("sold %d\n", number);
    return 0;
}
