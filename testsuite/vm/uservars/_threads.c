// SPDX-License-Identifier: GPL-2.0-or-later
// Threads, each with its own values of the thread-local variables of the program, of a library that it is linked with,
// and of one that is loaded.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

__thread long own = 11;
__thread int own_zero[3];
__thread struct {
    char letter;
    long number;
} own_pair __attribute__((aligned(128))) = {'x', 5};
long locals_step(int n);
static long (*loaded)(int n);

__attribute__((noinline)) void step(int n) {
    __asm__ volatile("" : : "r"(n) : "memory");
}

static void *work(void *argument) {
    int n = (int)(long)argument;

    own += n;
    own_zero[1] = 2 * n;
    own_pair.number += 3 * n;
    locals_step(4 * n);
    getppid(); /* nothing of the loaded library was touched */
    loaded(5 * n);
    step(n);
    getppid();
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    void *library = dlopen(argv[argc - 1], RTLD_NOW);

    loaded = library ? (long (*)(int))dlsym(library, "loaded_step") : NULL;
    if (!loaded) return 1;
    for (long n = 1; n <= 3; n++) {
        pthread_create(&thread, NULL, work, (void *)n);
        pthread_join(thread, NULL);
    }
    work((void *)4l);
    return 0;
}
