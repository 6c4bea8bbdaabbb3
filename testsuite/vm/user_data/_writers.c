// SPDX-License-Identifier: GPL-2.0-or-later
// A program that writes watched variables as it is told, and counts for itself. Each word of the command line is done
// in turn.
//
//   threads=N,W  N threads at the same time, W writes each
//   nested=N,W   N threads, each made by the one before
//   hold=N,W     N threads that write W times when "wait" is over
//   fork=N,W     N children, one after the other
//   exec=REST    executes itself with the words of REST, split at '+'
//   kernel=W     W times the kernel writes, 0, for ioctl(2)
//   others=W     W writes of each of the other variables
//   wait         until a line comes on standard input
//   serve        "others=W" for each line with W on standard input, and says so
//
// Each process says "did WRITES SUM" when it ends or executes; the sum is that of the values.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

volatile int watched = 0;
volatile long others[4];
static volatile short hidden;
static volatile int here;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;
static long writes, sum;
static int value;
static char **self;
static pthread_t held[64];
static int nheld;

__attribute__((noinline)) void put(int number) {
    watched = number;
}

// The lock lets the value stay until the handler has read it.
static void write_some(int count) {
    for (int i = 0; i < count; i++) {
        pthread_mutex_lock(&lock);
        put(++value);
        writes++;
        sum += value;
        pthread_mutex_unlock(&lock);
    }
}

static void *writer(void *count) {
    write_some((int)(long)count);
    return NULL;
}

static void *holder(void *count) {
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return writer(count);
}

struct nest {
    int depth, count;
};

static void *nest(void *data) {
    struct nest *n = data, inner = {n->depth - 1, n->count};
    pthread_t thread;

    if (inner.depth > 0) pthread_create(&thread, NULL, nest, &inner);
    write_some(n->count);
    if (inner.depth > 0) pthread_join(thread, NULL);
    return NULL;
}

static void say(void) {
    char text[64];
    int length = snprintf(text, sizeof text, "did %ld %ld\n", writes, sum);

    if (write(STDOUT_FILENO, text, (size_t)length) != length) _exit(1);
}

static void make_threads(int count, long times) {
    pthread_t threads[64];

    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, writer, (void *)times);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static void hold_threads(int count, long times) {
    pthread_mutex_lock(&gate);
    for (int i = 0; i < count; i++)
        pthread_create(&held[nheld++], NULL, holder, (void *)times);
}

static void fork_children(int count, int times) {
    for (int i = 0; i < count; i++) {
        pid_t child = fork();

        if (!child) {
            writes = sum = 0;
            write_some(times);
            say();
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

static void execute(char *rest) {
    char *words[32] = {self[0]};
    int count = 1;

    say();
    for (char *word = strtok(rest, "+"); word && count < 31; word = strtok(NULL, "+"))
        words[count++] = word;
    execv(self[0], words);
    _exit(1);
}

static void wait_for_line(void) {
    char byte = 0;

    while (byte != '\n')
        if (read(STDIN_FILENO, &byte, 1) != 1) _exit(1);
    if (nheld) pthread_mutex_unlock(&gate);
    while (nheld)
        pthread_join(held[--nheld], NULL);
}

static void let_kernel_write(int times) {
    int ends[2];

    if (pipe(ends)) _exit(1);
    for (int i = 0; i < times; i++) {
        if (ioctl(ends[0], FIONREAD, &watched)) _exit(1);
        writes++;
    }
    close(ends[0]);
    close(ends[1]);
}

static void write_others(int count) {
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 4; k++)
            others[k]++;
        hidden++;
        here++;
    }
}

static void serve(void) {
    char line[32];

    while (fgets(line, sizeof line, stdin)) {
        write_others(atoi(line));
        if (write(STDOUT_FILENO, line, strlen(line)) < 0) _exit(1);
    }
}

static void live(char *word) {
    int first = 0, second = 0;
    char *rest = strchr(word, '=');

    if (rest) sscanf(++rest, "%d,%d", &first, &second);
    if (!strncmp(word, "threads=", 8)) make_threads(first, second);
    if (!strncmp(word, "hold=", 5)) hold_threads(first, second);
    if (!strncmp(word, "fork=", 5)) fork_children(first, second);
    if (!strncmp(word, "nested=", 7)) nest(&(struct nest){first, second});
    if (!strncmp(word, "exec=", 5)) execute(rest);
    if (!strncmp(word, "kernel=", 7)) let_kernel_write(first);
    if (!strcmp(word, "wait")) wait_for_line();
    if (!strcmp(word, "serve")) serve();
    if (!strncmp(word, "others=", 7)) write_others(first);
}

int main(int argc, char **argv) {
    self = argv;
    for (int i = 1; i < argc; i++)
        live(argv[i]);
    say();
    return 0;
}
