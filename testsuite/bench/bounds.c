// SPDX-License-Identifier: GPL-2.0-or-later
// bounds: the longest time that a program of the highest priority had to wait for the processor, by the
// clock: what interrupts and handlers took at once. Sleeps for a millisecond again and again until it
// is terminated, then prints how many microseconds it woke too late at most.
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

static volatile sig_atomic_t ended;

static void end(int signal) {
    (void)signal;
    ended = 1;
}

int main(void) {
    const long period = 1000000, second = 1000000000;
    const struct sched_param priority = {.sched_priority = 99};
    const struct sigaction action = {.sa_handler = end};
    struct timespec wanted, now;
    long longest = 0;
    sigaction(SIGTERM, &action, NULL);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) || sched_setscheduler(0, SCHED_FIFO, &priority)) {
        perror("bounds");
        return 1;
    }
    while (!ended) {
        clock_gettime(CLOCK_MONOTONIC, &wanted);
        wanted.tv_nsec += period;
        if (wanted.tv_nsec >= second) wanted.tv_sec++, wanted.tv_nsec -= second;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wanted, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        const long late = (now.tv_sec - wanted.tv_sec) * second + now.tv_nsec - wanted.tv_nsec;
        if (late > longest) longest = late;
    }
    printf("%ld\n", longest / 1000);
    return 0;
}
