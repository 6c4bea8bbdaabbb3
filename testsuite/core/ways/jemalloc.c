// SPDX-License-Identifier: GPL-2.0-or-later
/* Takes memory of jemalloc in three threads, says what jemalloc's own statistics tell of that, then "ready", and
 * sleeps. The words are those of jemalloc-stats.stp. */
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_barrier_t taken;

static void take(unsigned turn) {
    // Large ones first: while memory is taken, caches are emptied.
    static const size_t sizes[] = {3000000, 100000, 20000, 14000, 5000, 1000, 100, 24, 1};
    void *pieces[700];
    size_t one, count, i;

    for (one = 0; one < sizeof(sizes) / sizeof(*sizes); one++) {
        count = 20000000 / sizes[one] / (1 + turn);
        if (count > 700) count = 700 - 100 * turn;
        for (i = 0; i < count; i++) {
            pieces[i] = malloc(sizes[one]);
            if (!pieces[i]) abort();
            memset(pieces[i], 1, sizes[one]);
        }
        // To the thread's cache at first.
        for (i = 0; i < count; i += 3)
            free(pieces[i]);
    }
}

static void *thread(void *turn) {
    take((unsigned)(uintptr_t)turn);
    pthread_barrier_wait(&taken);
    for (;;)
        pause();
    return NULL;
}

// The thread must not allocate from here on: no stdio.
static void say(const char *format, ...) {
    char line[200];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (write(STDOUT_FILENO, line, (size_t)length) != length) _exit(1);
}

static size_t statistic(const char *format, ...) {
    char name[100];
    va_list arguments;
    uint64_t value;
    size_t size, asked;

    va_start(arguments, format);
    vsnprintf(name, sizeof(name), format, arguments);
    va_end(arguments);
    // Numbers are of different sizes, and jemalloc wants the right one.
    for (size = sizeof(value); size; size /= 2) {
        value = 0;
        asked = size;
        if (!mallctl(name, &value, &asked, NULL, 0)) return value;
    }
    say("no %s\n", name);
    _exit(1);
}

static void say_arena(unsigned arena, unsigned bins, unsigned larges) {
    unsigned i;

    say("arena %u: allocated %zu active %zu mapped %zu cached %zu\n", arena,
        statistic("stats.arenas.%u.small.allocated", arena) + statistic("stats.arenas.%u.large.allocated", arena),
        statistic("stats.arenas.%u.pactive", arena) * statistic("arenas.page"),
        statistic("stats.arenas.%u.mapped", arena), statistic("stats.arenas.%u.tcache_bytes", arena));
    for (i = 0; i < bins; i++)
        if (statistic("stats.arenas.%u.bins.%u.curregs", arena, i))
            say("%u: %zu of %zu\n", i, statistic("stats.arenas.%u.bins.%u.curregs", arena, i),
                statistic("arenas.bin.%u.size", i));
    for (i = 0; i < larges; i++)
        if (statistic("stats.arenas.%u.lextents.%u.curlextents", arena, i))
            say("%u: %zu of %zu\n", bins + i, statistic("stats.arenas.%u.lextents.%u.curlextents", arena, i),
                statistic("arenas.lextent.%u.size", i));
}

int main(void) {
    unsigned i, arenas, bins, larges;
    pthread_t id;
    uint64_t epoch = 1;

    pthread_barrier_init(&taken, NULL, 3);
    for (i = 1; i <= 2; i++)
        if (pthread_create(&id, NULL, thread, (void *)(uintptr_t)i)) return 1;
    take(0);
    pthread_barrier_wait(&taken);
    if (mallctl("epoch", NULL, NULL, &epoch, sizeof(epoch))) return 1;
    arenas = (unsigned)statistic("arenas.narenas");
    bins = (unsigned)statistic("arenas.nbins");
    larges = (unsigned)statistic("arenas.nlextents");
    say("allocated %zu active %zu mapped %zu\n", statistic("stats.allocated"), statistic("stats.active"),
        statistic("stats.mapped"));
    say("%u arenas, %u classes, %u of them small\n", arenas, bins + larges, bins);
    for (i = 0; i < arenas; i++)
        if (statistic("arena.%u.initialized", i)) say_arena(i, bins, larges);
    say("ready\n");
    for (;;)
        pause();
}
