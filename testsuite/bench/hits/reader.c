// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the time of one read(2) of one byte from /dev/zero in ns: the least of several rounds, which the scheduler disturbs least.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 20000;
	int rounds = argc > 2 ? atoi(argv[2]) : 15;
	int fd = open("/dev/zero", O_RDONLY);
	double best = 1e18;
	char byte;
	int round;

	if (fd < 0)
		return 1;
	for (round = 0; round <= rounds; round++) {
		double start = now(), each;
		long i;

		for (i = 0; i < count; i++)
			if (read(fd, &byte, 1) != 1)
				return 1;
		each = (now() - start) / count;
		if (round && each < best)
			best = each;
	}
	printf("%.1f\n", best);
	return 0;
}
