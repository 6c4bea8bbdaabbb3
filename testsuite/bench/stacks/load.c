// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the time of one call of hit() in ns, the least of several rounds. It is called below 20 frames that have frame pointers,
// as the compiler was told, or more: load [CALLS [CALLERS]].
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))

static long count;
static double best = 1e18;

NOINLINE void hit(void)
{
	__asm__ volatile("");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

NOINLINE void loop(void)
{
	double start = now(), each;
	long i;

	for (i = 0; i < count; i++)
		hit();
	each = (now() - start) / count;
	if (each < best)
		best = each;
}

/* Frames of different sizes, with values that survive the call. */
NOINLINE long below(long depth, long a, long b)
{
	long result = 0;

	if (depth == 0)
		loop();
	else
		result = below(depth - 1, b, a + depth);
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(result));
	return result + a * b;
}

int main(int argc, char **argv)
{
	long depth = argc > 2 ? atol(argv[2]) : 15;
	int round;

	count = argc > 1 ? atol(argv[1]) : 2000;
	for (round = 0; round < 10; round++)
		below(depth, round, 2);
	printf("%.1f\n", best);
	return 0;
}
