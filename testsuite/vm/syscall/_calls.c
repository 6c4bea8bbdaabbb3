// SPDX-License-Identifier: GPL-2.0-or-later
// Makes some system calls of known arguments and results. With "32", in the way of 32-bit programs.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call32(long number, long a, long b, long c, long d, long e) {
    long result;
    register long r_di __asm__("rdi") = e;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d), "r"(r_di)
                     : "r8", "r9", "r10", "r11", "memory");
    return result;
}

static void narrow(void) {
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    uint32_t *words = (uint32_t *)(low + 64);

    strcpy(low, "thirty-two");
    call32(4, -1, (long)low, 10, 0, 0);  // write
    // socketcall: socket(2, 1, 99), send(-5, low, 4, 0x40), and one that is not there
    words[0] = 2, words[1] = 1, words[2] = 99;
    call32(102, 1, (long)words, 0, 0, 0);
    words[0] = (uint32_t)-5, words[1] = (uint32_t)(uintptr_t)low, words[2] = 4, words[3] = 0x40;
    call32(102, 9, (long)words, 0, 0, 0);
    call32(102, 77, (long)words, 0, 0, 0);
    // ipc: semctl(-3, 2, 77, 8), msgrcv(-4, low, 16, 5, 9), shmdt(0x123), semop(-6, low, 1)
    words[0] = 8;
    call32(117, 3, -3, 2, 77, (long)words);
    words[0] = (uint32_t)(uintptr_t)low, words[1] = 5;
    call32(117, 12, -4, 16, 9, (long)words);
    call32(117, 22, 0, 0, 0, 0x123);
    call32(117, 1, -6, 1, 0, (long)low);
    call32(359, 2, 1, 98, 0, 0);  // socket
    call32(5000, 1, 2, 3, 4, 5);
}

int main(int argc, char **argv) {
    char text[] = "no such file";
    struct {
        int64_t seconds, nanoseconds;
    } time = {12, 5000000000};

    if (argc > 1 && !strcmp(argv[1], "32")) {
        narrow();
        return 0;
    }
    for (int i = 0; i < 5; i++)
        syscall(SYS_write, -1L, text, 12);
    syscall(SYS_mmap, 1, 2, 3, 4, 5, 6);
    syscall(SYS_nanosleep, &time, NULL);
    syscall(SYS_pread64, -2L, text, 3, 0x123456789L);
    syscall(SYS_pipe2, NULL, 0x7fffffff);
    syscall(3000, 1, 2, 3);
    syscall(-7, 1);
    for (int i = 0; i < 7; i++)
        syscall(SYS_getppid);
    return 0;
}
