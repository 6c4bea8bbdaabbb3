// SPDX-License-Identifier: GPL-2.0-or-later
// A program that lives as it is told: each word of the command line is done in turn.
//   fork=N    N children, one after the other, that end at once     threads=N  N threads likewise
//   exec=REST executes itself with the words of REST, split at ','  alone      the first thread ends before another one
//   does wait      until a line comes on standard input                  exec-in-thread=REST: another thread than the
//   first executes
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char **self;

static void *nothing(void *unused) {
    return unused;
}

static void *last(void *first) {
    pthread_join(*(pthread_t *)first, NULL);
    exit(0);
}

static void *execute(void *rest) {
    char *words[32] = {self[0]};
    int count = 1;

    for (char *word = strtok(rest, ","); word && count < 31; word = strtok(NULL, ","))
        words[count++] = word;
    execv(self[0], words);
    _exit(1);
}

static void fork_children(int count) {
    for (int i = 0; i < count; i++) {
        pid_t child = fork();

        if (!child) _exit(0);
        waitpid(child, NULL, 0);
    }
}

static void make_threads(int count) {
    for (int i = 0; i < count; i++) {
        pthread_t thread;

        pthread_create(&thread, NULL, nothing, NULL);
        pthread_join(thread, NULL);
    }
}

static void live(char *word) {
    char *value = strchr(word, '=');
    size_t name = value ? (size_t)(value - word) : strlen(word);
    pthread_t thread;

    if (value) value++;
    if (name == 4 && !strncmp(word, "fork", name)) {
        fork_children(atoi(value));
    } else if (name == 7 && !strncmp(word, "threads", name)) {
        make_threads(atoi(value));
    } else if (name == 4 && !strncmp(word, "exec", name)) {
        execute(value);
    } else if (!strncmp(word, "exec-in-thread", name) && name == 14) {
        pthread_create(&thread, NULL, execute, value);
        pthread_join(thread, NULL);
    } else if (!strcmp(word, "alone")) {
        static pthread_t first;

        first = pthread_self();
        pthread_create(&thread, NULL, last, &first);
        pthread_exit(NULL);
    } else if (!strcmp(word, "wait")) {
        if (getchar() == EOF) _exit(1);
    }
}

int main(int argc, char **argv) {
    self = argv;
    for (int i = 1; i < argc; i++)
        live(argv[i]);
    return 0;
}
