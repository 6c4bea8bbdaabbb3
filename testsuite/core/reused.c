// SPDX-License-Identifier: GPL-2.0-or-later
/* A thread still has the block of a library that was closed, whose number another library has now.
 * With LIBRARY: a library, whose thread-local variable has this name and begins with NUMBER.
 */
#ifdef LIBRARY
__thread int LIBRARY[2] = {NUMBER, NUMBER + 1};

int *get(void) {
    return LIBRARY;
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;
static int *(*get)(void);

static void *run(void *unused) {
    (void)unused;
    get()[0] = 999;
    pthread_barrier_wait(&barrier);
    for (;;)
        pause();
}

static void *open_library(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    *(void **)&get = library ? dlsym(library, "get") : NULL;
    if (!get) printf("%s\n", dlerror());
    return library;
}

int main(int argc, char **argv) {
    pthread_t thread;
    if (argc < 3) return 2;
    pthread_barrier_init(&barrier, NULL, 2);
    void *first = open_library(argv[1]);
    pthread_create(&thread, NULL, run, NULL);
    pthread_barrier_wait(&barrier);
    dlclose(first);
    open_library(argv[2]);
    get()[0] = 500;
    printf("ready\n");
    fflush(stdout);
    for (;;)
        pause();
}
#endif
