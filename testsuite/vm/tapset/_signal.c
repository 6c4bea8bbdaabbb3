// SPDX-License-Identifier: GPL-2.0-or-later
// Sends itself and a child signals in all ways, and says so: "send NUMBER CODE SHARED" in the order of time. Marks its
// beginning and its end by getppid().
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t handled;

static void handler(int number) {
    handled = number;
}

int main(void) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigset_t set, old;
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
    union sigval value = {.sival_int = 7};
    pid_t child;

    setvbuf(stdout, NULL, _IOLBF, 0);
    getppid();
    sigaddset(&action.sa_mask, SIGUSR2);
    sigaddset(&action.sa_mask, 40);
    sigaction(SIGUSR1, &action, NULL);
    printf("handler %lu\n", (unsigned long)handler);
    sigaction(SIGTERM, NULL, &action);
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(SIGRTMIN + 1, &action, NULL);
    sigaction(40, &action, NULL);
    kill(getpid(), SIGUSR1);
    syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1);
    signal(SIGCONT, SIG_IGN);
    kill(getpid(), SIGCONT);
    sigqueue(getpid(), 40, value);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    handled = 0;
    timer_settime(timer, 0, &soon, NULL);
    while (handled != SIGRTMIN + 1)
        usleep(1000);
    timer_delete(timer);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, &old);
    kill(getpid(), SIGUSR1);
    sigpending(&set);
    if (!sigismember(&set, SIGUSR1)) return 2;
    syscall(SYS_tkill, getpid(), 0);  // blocked() is asked for here
    sigprocmask(SIG_SETMASK, &old, NULL);
    child = fork();
    if (!child) {
        pause();
        _exit(0);
    }
    kill(child, SIGKILL);
    wait(NULL);
    child = fork();
    if (!child) {
        // No stack for a handler.
        action.sa_handler = handler;
        sigaction(SIGUSR2, &action, NULL);
        __asm__ volatile(
            "mov $39, %%eax; syscall; mov %%eax, %%edi; mov $12, %%esi; mov $62, %%eax; xor %%esp, %%esp; syscall; "
            "hlt" ::
                : "memory");
    }
    wait(NULL);
    getppid();
    return 0;
}
