// SPDX-License-Identifier: GPL-2.0-or-later
// A child that stays, and a child with a child, which end; each calls getppid().
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    pid_t stays, child;

    printf("target %d\n", getpid());
    fflush(stdout);
    getppid();
    stays = fork();
    if (!stays) {
        for (;;)
            pause();
    }
    child = fork();
    if (!child) {
        getppid();
        child = fork();
        if (!child) {
            getppid();
            _exit(0);
        }
        waitpid(child, NULL, 0);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    printf("stays %d\n", stays);
    return 0;
}
