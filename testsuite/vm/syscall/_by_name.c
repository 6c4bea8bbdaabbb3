// SPDX-License-Identifier: GPL-2.0-or-later
// A known number of calls from two threads, some of them as 32-bit programs make them.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *calls(void *unused) {
    int i;

    for (i = 0; i < 1000; i++)
        syscall(SYS_getppid);
    for (i = 0; i < 3000; i++)
        syscall(SYS_getuid);
    for (i = 0; i < 500; i++) {
        long number = 64; /* getppid */

        __asm__ volatile("int $0x80" : "+a"(number) : : "memory", "r8", "r9", "r10", "r11");
    }
    return unused;
}

int main(void) {
    pthread_t other;

    if (pthread_create(&other, NULL, calls, NULL)) return 1;
    calls(NULL);
    pthread_join(other, NULL);
    syscall(SYS_alarm, 0);
    return 0;
}
