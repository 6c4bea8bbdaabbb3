// SPDX-License-Identifier: GPL-2.0-or-later
// watched NAME FILE: waits for the file, calls step() three times, once in a forked child, once in a process of its own
// that runs this program. Each says beforehand whether step() has a breakpoint; the child also afterwards.
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) void step(const char *name) {
    __asm__ volatile("" : : "r"(name) : "memory");
}

static int probed(void) {
    return *(volatile unsigned char *)step == 0xcc;
}

int main(int argc, char **argv) {
    char name[64];
    pid_t child;

    alarm(120);
    if (argc < 3) {
        printf("%s probed %d\n", argv[1], probed());
        step(argv[1]);
        return 0;
    }
    while (access(argv[2], F_OK))
        usleep(10000);
    printf("%s probed %d\n", argv[1], probed());
    for (int i = 0; i < 3; i++)
        step(argv[1]);
    snprintf(name, sizeof(name), "%s-child", argv[1]);
    fflush(stdout);
    child = fork();
    if (!child) {
        printf("%s probed %d", name, probed());
        step(name);
        printf(" then %d\n", probed());
        return 0;
    }
    waitpid(child, NULL, 0);
    strcpy(strrchr(name, '-'), "-exec");
    posix_spawn(&child, argv[0], NULL, NULL, (char *[]){argv[0], name, NULL}, environ);
    waitpid(child, NULL, 0);
    return 0;
}
