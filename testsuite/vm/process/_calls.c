// SPDX-License-Identifier: GPL-2.0-or-later
// Makes some system calls of known arguments and results. With "32", in the way of 32-bit programs, when the kernel has
// it.
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call32(long number, long a, long b, long c) {
    long result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(a), "c"(b), "d"(c)
                     : "r8", "r9", "r10", "r11", "memory");
    return result;
}

int main(int argc, char **argv) {
    char text[] = "no such file";

    if (argc > 1 && !strcmp(argv[1], "32")) {
        char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

        strcpy(low, "thirty-two");
        call32(4, -1, (long)low, 10); /* write */
        return 0;
    }
    for (int i = 0; i < 5; i++)
        syscall(SYS_write, -1L, text, 12);
    syscall(SYS_mmap, 1, 2, 3, 4, 5, 6);
    return 0;
}
