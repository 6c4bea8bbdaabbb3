// SPDX-License-Identifier: GPL-2.0-or-later
// Says what it has in memory, calls getppid(), and says what it has then. Ignores nothing: a signal that it gets ends
// it, but SIGUSR1 is counted.
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t signals;
static struct {
    signed char c;
    short s;
    int i;
    long l;
    void *p;
    char text[32], cut[32];
} box = {1, 2, 3, 4, NULL, "before", "before"};

static void count(int number) {
    (void)number;
    signals++;
}

int main(void) {
    signal(SIGUSR1, count);
    // In a system call at once, before anything else of the program is run.
    syscall(SYS_getppid, &box);
    printf("signals %d\nbox %d %d %d %ld %ld %s %s\n", (int)signals, box.c, box.s, box.i, box.l, (long)box.p, box.text,
           box.cut);
    return 0;
}
