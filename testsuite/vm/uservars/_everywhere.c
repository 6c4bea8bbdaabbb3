// SPDX-License-Identifier: GPL-2.0-or-later
// A program whose variables are read from probes of everything else while it runs, and with "other", one that has none
// of the library. With "reload", the library goes and comes back elsewhere between two system calls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile long program_counter = 5000;
const char *volatile program_text = "words";

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    void *library, *blocker;
    long (*work)(long);
    int i;

    if (!strcmp(mode, "other")) return getppid() < 0;
    for (i = 0; i < (strcmp(mode, "reload") ? 1 : 3); i++) {
        library = dlopen(argv[2], RTLD_NOW);
        if (!library || !(work = (long (*)(long))dlsym(library, "library_work"))) return 1;
        program_counter = 5001 + i;
        work(7 + i);
        getppid();
        if (!strcmp(mode, "spin"))
            for (;;)
                work(0);
        dlclose(library);
        /* Where it was, something else is now. */
        blocker = mmap((void *)((unsigned long)work & ~0xfffful), 0x20000, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (blocker == MAP_FAILED) return 1;
        memset(blocker, 1, 0x20000);
        getppid();
    }
    return 0;
}
