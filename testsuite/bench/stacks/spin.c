// SPDX-License-Identifier: GPL-2.0-or-later
// Works below 60 frames of many shapes, and prints the processor time that this thread took, in ns:
// spin WHERE SHAPES TIMES [THREADS]. WHERE is "user", where the work is a loop, "kernel", where it is random numbers of the
// kernel's, or "nowhere". It is done TIMES times, in one shape after the other, of which there are 4096 at most. With THREADS as
// many do the same, and nothing is printed; TIMES is then how many seconds they do it.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NOINLINE   __attribute__((noinline, noclone))
#define SHAPE_BITS 12
/* 55 frames of 60; the others are the start, what calls main, main and work(). */
#define DEPTH 54

static long turns = 70000;
static nfds_t polled;
static struct pollfd files[1000];

NOINLINE void work(void)
{
	long i;

	if (polled && poll(files, polled, 0) < 0)
		abort();
	for (i = 0; i < turns; i++)
		__asm__ volatile("" : "+r"(i));
}

NOINLINE long left(long depth, unsigned shape);
NOINLINE long right(long depth, unsigned shape);

static inline long down(long depth, unsigned shape)
{
	if (!depth) {
		work();
		return 1;
	}
	return (shape & 1 ? right(depth - 1, shape >> 1) : left(depth - 1, shape >> 1)) + 1;
}

NOINLINE long left(long depth, unsigned shape)
{
	long result = down(depth, shape);

	__asm__ volatile("" : "+r"(result));
	return result;
}

NOINLINE long right(long depth, unsigned shape)
{
	long values[2] = {depth, shape}, result = down(depth, shape);

	__asm__ volatile("" : "+r"(result) : "r"(values) : "memory");
	return result + values[0];
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static unsigned shapes;
static double until;

static void *forever(void *first)
{
	unsigned shape = (unsigned)(long)first;

	while (now(CLOCK_MONOTONIC) < until)
		left(DEPTH, shape++ % shapes);
	return NULL;
}

int main(int argc, char **argv)
{
	long times = argc > 3 ? atol(argv[3]) : 1000, threads = argc > 4 ? atol(argv[4]) : 0, i;
	int null = open("/dev/null", O_RDONLY);
	double start;

	if (argc > 1 && strcmp(argv[1], "user"))
		turns = 0;
	if (argc > 1 && !strcmp(argv[1], "kernel"))
		while (polled < sizeof(files) / sizeof(*files))
			files[polled++] = (struct pollfd){.fd = null, .events = POLLPRI};
	shapes = argc > 2 ? (unsigned)atoi(argv[2]) : 8;
	if (!shapes || shapes > 1u << SHAPE_BITS)
		return 2;
	if (threads) {
		pthread_t thread[64];

		until = now(CLOCK_MONOTONIC) + times * 1e9;
		for (i = 0; i < threads && i < 64; i++)
			pthread_create(&thread[i], NULL, forever, (void *)(i * (long)shapes / threads));
		while (i--)
			pthread_join(thread[i], NULL);
		return 0;
	}
	start = now(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0; i < times; i++)
		left(DEPTH, (unsigned)i % shapes);
	printf("%.0f\n", now(CLOCK_THREAD_CPUTIME_ID) - start);
	return 0;
}
