// SPDX-License-Identifier: GPL-2.0-or-later
// Calls getppid() whenever a line comes, four times; the last time without.
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    for (int i = 1; i <= 4; i++) {
        char c;

        if (read(0, &c, 1) != 1) return 1;
        if (i == 4) break;
        syscall(SYS_getppid);
        printf("called %d\n", i);
        fflush(stdout);
    }
    return 0;
}
