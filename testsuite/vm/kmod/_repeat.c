// SPDX-License-Identifier: GPL-2.0-or-later
/* repeat NUMBER TIMES: makes the system call NUMBER, without arguments, so many times. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long number = argc > 2 ? atol(argv[1]) : -1, n = argc > 2 ? atol(argv[2]) : 0;

	while (n-- > 0)
		syscall(number, 0, 0, 0);
	return 0;
}
