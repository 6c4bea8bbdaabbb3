// SPDX-License-Identifier: GPL-2.0-or-later
// One of two files of a program that is optimized as a whole; both have the same names. Prints what its own are.
#include <stdio.h>
#include <unistd.h>

extern long elsewhere;
extern int also;
volatile int OTHER(sink);
static volatile int head = START;

__attribute__((noinline)) void OTHER(work)(void) {
    static volatile int calls = START * 10;

    OTHER(sink) = head;
    head += OTHER(sink) + (int)elsewhere;
    calls += head;
    getppid();
    printf("expect " FILE_NAME " %d %d %ld %d\n", head, calls, elsewhere, also);
    head++;
    also++;
}

#ifdef FIRST
void second_work(void);
int main(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    first_work();
    second_work();
    first_work();
    return 0;
}
#endif
