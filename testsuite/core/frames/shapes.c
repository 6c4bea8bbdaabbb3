// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks of many shapes: shapes STATE, from 1 to 5, dies at one of five places of the shape that -DSHAPE=N chooses.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int state;
volatile long sink;

static void __attribute__((noinline)) stop(int here) {
    if (here == state) abort();
    sink += here;
}

enum color { RED, GREEN = 5, BLUE = -3 };
struct point {
    int x, y;
    enum color color;
};
struct node {
    struct node *next;
    long value;
    struct point at;
    char name[12];
};

static long __attribute__((noinline)) sum(const struct node *list, long first, unsigned char scale) {
    long total = first;
    int count = 0;
    for (const struct node *node = list; node; node = node->next, count++) {
        total += node->value * scale;
        if (count == 3) stop(2);
    }
    return total + count;
}

#if SHAPE == 1  // recursion, lists, parameters that are not needed any more
static long __attribute__((noinline)) deeper(int depth, struct node *list, short step, unsigned long mask) {
    struct node own = {.next = list, .value = depth * 7, .at = {depth, -depth, GREEN}, .name = "own"};
    long local = depth * 3 + step, result;
    if (depth == 0) {
        stop(1);
        result = sum(&own, local, 3);
    } else {
        result = deeper(depth - 1, &own, (short)(step - 2), mask >> 1);
        if (depth == 2) stop(3);
    }
    sink = result ^ (long)mask;
    return result + local;
}
static inline long inlined(long a, int b) {
    long product = a * b;
    stop(4);
    return product + sum(0, product, (unsigned char)b);
}
static void run(int argc) {
    long all = deeper(5, 0, 9, 0xffff0000ul);
    all += inlined(all, argc + 1);
    stop(5);
    sink = all;
}
#elif SHAPE == 2  // calls through pointers, of libraries, back from them
struct table {
    long (*call)(struct table *, long, const char *);
    int size;
    int values[6];
};
static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    static int calls;
    if (++calls == 4) stop(1);
    return x < y ? -1 : x > y;
}
static long __attribute__((noinline)) called(struct table *table, long bias, const char *text) {
    size_t length = strlen(text);
    long best = bias;
    for (int i = 0; i < table->size; i++) {
        int value = table->values[i];
        if (value > best) best = value;
        if (i == 2) stop(3);
    }
    stop(4);
    return best + (long)length;
}
static void run(int argc) {
    struct table table = {called, 6, {5, 3, 9, argc, 12, -4}};
    qsort(table.values, 6, sizeof(int), by_value);
    struct node list[5];
    memset(list, 0, sizeof list);
    for (int i = 0; i < 5; i++) {
        list[i].next = i < 4 ? &list[i + 1] : 0;
        list[i].value = i * 100;
    }
    sink = sum(list, argc, 2);
    long found = table.call(&table, argc * 2, "a text");
    stop(5);
    sink = found;
}
#elif SHAPE == 3  // signals and threads
struct work {
    int number;
    volatile long done;
    pthread_barrier_t *barrier;
};
static long __attribute__((noinline)) handle(int number, long seen) {
    long local = seen * number;
    stop(1);
    return local;
}
static void handler(int number) {
    long before = sink;
    sink = handle(number, before + 2);
}
static void *worker(void *data) {
    struct work *work = data;
    long rounds = 0;
    for (int i = 0; i < 3; i++) {
        rounds += i * work->number;
        if (work->number == 2 && i == 1) stop(3);
    }
    work->done = rounds;
    pthread_barrier_wait(work->barrier);
    return work;
}
static void run(int argc) {
    pthread_t threads[3];
    pthread_barrier_t barrier;
    struct work works[3];
    double ratio = 1.5 * argc;
    signal(SIGUSR1, handler);
    sink = 11;
    raise(SIGUSR1);
    stop(2);
    pthread_barrier_init(&barrier, 0, 4);
    for (int i = 0; i < 3; i++) {
        works[i].number = i + 1;
        works[i].done = 0;
        works[i].barrier = &barrier;
        pthread_create(&threads[i], 0, worker, &works[i]);
    }
    while (!works[2].done)
        ;
    stop(4);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    sink += (long)ratio;
    stop(5);
}
#else             // arrays, unions, bit-fields, many parameters, blocks
union both {
    long number;
    char bytes[8];
    float half;
};
struct bits {
    unsigned one : 1, three : 3;
    int rest : 20;
};
static long __attribute__((noinline))
many(int a, long b, char c, short d, unsigned e, struct point f, long g, int h, union both i, struct bits j) {
    long first = a + b + c;
    {
        int first = d + (int)e;
        long rest = f.x + g;
        sink += first * rest;
        if (h) stop(1);
    }
    stop(2);
    return first + i.number + j.rest + h;
}
static long __attribute__((noinline)) matrix(int rows, long scale) {
    long cells[3][2];
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 2; c++) {
            cells[r][c] = r * scale + c;
            if (r == 1 && c == 1) stop(3);
        }
    return cells[rows - 1][1];
}
static void run(int argc) {
    union both both = {.number = 0x4142434445464748};
    struct bits bits = {1, 5, -77};
    struct point point = {argc, 4, BLUE};
    sink = matrix(3, argc * 10);
    long value = many(argc, -5, 'x', 300, 4000000000u, point, 99, argc > 1, both, bits);
    stop(4);
    both.number += value;
    sink = both.number + bits.three;
    stop(5);
}
#endif

int main(int argc, char **argv) {
    state = argc > 1 ? atoi(argv[1]) : 1;
    run(argc);
    return 0;
}
