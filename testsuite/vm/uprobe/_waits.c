// SPDX-License-Identifier: GPL-2.0-or-later
// Calls weigh() for each line of its input. With an argument it executes a copy of itself that has no name.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

__attribute__((noinline)) int weigh(int line) {
    __asm__ volatile("" : : "r"(line) : "memory");
    return 2 * line;
}

static void run_in_memory(void) {
    char bytes[4096], *const arguments[] = {"in memory", NULL};
    int from = open("/proc/self/exe", O_RDONLY), to = memfd_create("program", MFD_CLOEXEC);
    ssize_t count;

    while ((count = read(from, bytes, sizeof bytes)) > 0)
        if (write(to, bytes, (size_t)count) != count) exit(1);
    close(from);
    fexecve(to, arguments, environ);
    exit(1);
}

int main(int argc, char **argv) {
    int line = 0, sum = 0, c;

    (void)argv;
    if (argc > 1) run_in_memory();
    while ((c = getchar()) != EOF)
        if (c == '\n') sum += weigh(++line);
    return sum < 0;
}
