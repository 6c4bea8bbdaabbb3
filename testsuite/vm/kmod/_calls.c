// SPDX-License-Identifier: GPL-2.0-or-later
/* calls PROCESSES N: each of so many processes calls getppid and getuid N times. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int processes = argc > 2 ? atoi(argv[1]) : 0;
	long n = argc > 2 ? atol(argv[2]) : 0, i;

	while (processes-- > 0) {
		if (fork())
			continue;
		for (i = 0; i < n; i++) {
			syscall(SYS_getppid);
			syscall(SYS_getuid);
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
