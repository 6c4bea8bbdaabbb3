// SPDX-License-Identifier: GPL-2.0-or-later
/* A function that ends with a jump to a library, which jumps back to it. With JUMPED: the library.
 */
volatile int seen;
int ping(int number);
int pong(int number);

#ifdef JUMPED
int pong(int number) {
    seen = number;
    return number > 0 ? ping(number - 1) : 0;
}
#else
#include <stdio.h>
#include <unistd.h>

static volatile int never;

__attribute__((noipa)) int ping(int number) {
    seen = number;
    if (number > 1) return pong(number - 1);
    printf("ready\n");
    fflush(stdout);
    while (!never)
        pause();
    return 1;
}

// Other files cannot call it.
static __attribute__((noipa)) int own(int number) {
    seen = number;
    if (number == 7) seen = ping(5);
    return pong(seen);
}

int main(void) {
    return own(7) + 1;
}
#endif
