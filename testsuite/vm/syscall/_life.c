// SPDX-License-Identifier: GPL-2.0-or-later
// Forks, fails to execute, is interrupted and restarted by signals, executes a 32-bit program: argv[1], from which it
// does not come back.
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];

static void tick(int number) {
    char byte = 'x';

    if (number == SIGALRM) syscall(SYS_write, ends[1], &byte, 1);
}

static void tick_in(int milliseconds, int flags) {
    struct sigaction action = {.sa_handler = tick, .sa_flags = flags};
    struct itimerval time = {.it_value = {.tv_usec = milliseconds * 1000}};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &time, NULL);
}

int main(int argc, char **argv) {
    char *none[] = {NULL}, *next[] = {argv[1], NULL}, byte;
    pid_t child;

    child = syscall(SYS_fork);
    if (!child) syscall(SYS_exit_group, 3);
    waitpid(child, NULL, 0);
    execve("/no/such/program", none, none);
    if (pipe(ends)) return 1;
    tick_in(300, 0);
    pause();  // ERESTARTNOHAND: it fails
    read(ends[0], &byte, 1);
    tick_in(300, SA_RESTART);
    read(ends[0], &byte, 1);  // ERESTARTSYS: it is made once more
    execve(argv[1], next, none);
    return argc;
}
