// SPDX-License-Identifier: GPL-2.0-or-later
// Prints the processor time of one hit in ns, the least of several rounds. It is this thread's own: what reads the output of a
// handler is not in it. The hits: with "read",
// read(2) of one byte from /dev/zero, which is one call of vfs_read; with "rename", prctl(2) that gives the task its name again,
// which passes the tracepoint task:task_rename once; with "call", load_called(); with "mark", the mark load:passed.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

__attribute__((noinline)) long load_called(long number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 1;
}

/* The note is written as sys/sdt.h does. load_mark is where it is, for the counter. */
static __attribute__((noinline)) long load_passed(long number)
{
	__asm__ volatile(".globl load_mark\nload_mark: nop\n"
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n.balign 4\n.4byte 992f-991f, 994f-993f, 3\n"
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"
			 "993: .8byte load_mark\n.8byte 0\n.8byte 0\n"
			 ".asciz \"load\"\n.asciz \"passed\"\n.asciz \"-8@%0\"\n994: .balign 4\n.popsection\n"
			 :
			 : "r"(number));
	return 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "read";
	int rename = !strcmp(what, "rename"), call = !strcmp(what, "call"), mark = !strcmp(what, "mark");
	long count = argc > 2 ? atol(argv[2]) : 20000;
	int rounds = argc > 3 ? atoi(argv[3]) : 15;
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
			if (call     ? load_called(i) <= i
			    : mark   ? load_passed(i) != 1
			    : rename ? prctl(PR_SET_NAME, "load")
				     : read(fd, &byte, 1) != 1)
				return 1;
		each = (now() - start) / count;
		if (round && each < best)
			best = each;
	}
	printf("%.1f\n", best);
	return 0;
}
