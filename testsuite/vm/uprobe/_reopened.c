// SPDX-License-Identifier: GPL-2.0-or-later
// As a library, the function that is probed; as a program (PROGRAM), what opens the library ROUNDS times, in itself, in
// a child and in a process that a thread starts.
#ifndef PROGRAM
__attribute__((noinline)) int called(int who) {
    __asm__ volatile("" : "+r"(who));
    return who + 1;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *library;
static char *self;

static void open_and_call(int who) {
    for (int i = 0; i < ROUNDS; i++) {
        void *handle = dlopen(library, RTLD_NOW);
        int (*called)(int) = handle ? (int (*)(int))dlsym(handle, "called") : NULL;

        if (!called || called(who) != who + 1 || dlclose(handle)) exit(1);
    }
}

static void *run_again(void *unused) {
    pid_t child = fork();

    (void)unused;
    if (!child) execl(self, self, library, "again", NULL);
    waitpid(child, NULL, 0);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pid_t child;

    self = argv[0];
    library = argv[1];
    if (argc > 2) {
        open_and_call(3);
        return 0;
    }
    open_and_call(1);
    child = fork();
    if (!child) {
        open_and_call(2);
        return 0;
    }
    waitpid(child, NULL, 0);
    pthread_create(&thread, NULL, run_again, NULL);
    pthread_join(thread, NULL);
    return 0;
}
#endif
