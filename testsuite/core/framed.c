// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames beyond a function that no table describes, but which has made a frame, as code does that is made at run time.
 */
#include <stdio.h>
#include <unistd.h>

__asm__(
    ".text\n"
    ".type framed, @function\n"
    "framed:\n"
    "    push %rbp\n"
    "    mov %rsp, %rbp\n"
    "    call *%rdi\n"
    "    pop %rbp\n"
    "    ret\n"
    ".size framed, .-framed\n");
void framed(void (*function)(void));

static volatile int never;

static void wait_there(void) {
    printf("ready\n");
    fflush(stdout);
    while (!never)
        pause();
}

static __attribute__((noinline)) void begin_there(long number) {
    framed(wait_there);
    never = (int)number;
}

int main(int argc, char **argv) {
    (void)argv;
    begin_there(argc * 21L);
    return 0;
}
