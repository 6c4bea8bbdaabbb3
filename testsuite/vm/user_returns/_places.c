// SPDX-License-Identifier: GPL-2.0-or-later
// places registers: functions of several forms; says where each returned to and what the stack pointer was then.
// places unseen: a return whose entry was not seen, at the same place of the stack as an entry whose return was not.
#include <sched.h>
#include <stdio.h>
#include <string.h>

long popped(long n);   // takes 16 bytes of arguments from the stack
long nothing(long n);  // its first instruction is its last
long watched(long n);  // calls inside(n)
extern volatile unsigned char watched_exit[], popped_to[], nothing_to[], watched_to[];
long call_popped(long n, long *stack), call_nothing(long n, long *stack), call_watched(long n, long *stack);

__asm__(
    ".text\n"
    "	.type popped, @function\n"
    "popped:\n"
    "	.cfi_startproc\n"
    "	lea 1(%rdi), %rax\n"
    "	ret $16\n"
    "	.cfi_endproc\n"
    "	.size popped, . - popped\n"
    "	.type nothing, @function\n"
    "nothing:\n"
    "	.cfi_startproc\n"
    "	ret\n"
    "	.cfi_endproc\n"
    "	.size nothing, . - nothing\n"
    "	.type watched, @function\n"
    "watched:\n"
    "	.cfi_startproc\n"
    "	push %rbx\n"
    "	.cfi_adjust_cfa_offset 8\n"
    "	mov %rdi, %rbx\n"
    "	call inside\n"
    "	mov %rbx, %rax\n"
    "	pop %rbx\n"
    "	.cfi_adjust_cfa_offset -8\n"
    "watched_exit:\n"
    "	ret\n"
    "	.cfi_endproc\n"
    "	.size watched, . - watched\n");

// Each passes a number, as it got it, and says what the stack pointer was after the return.
__asm__(
    ".macro caller name, pushed\n"
    "	.type call_\\name, @function\n"
    "call_\\name:\n"
    "	.cfi_startproc\n"
    "	push %rbx\n"
    "	.cfi_adjust_cfa_offset 8\n"
    "	mov %rsi, %rbx\n"
    "	sub $\\pushed, %rsp\n"
    "	.cfi_adjust_cfa_offset \\pushed\n"
    "	mov $7, %eax\n"
    "	call \\name\n"
    "	.cfi_adjust_cfa_offset -\\pushed\n"
    "\\name\\()_to:\n"
    "	mov %rsp, (%rbx)\n"
    "	pop %rbx\n"
    "	.cfi_adjust_cfa_offset -8\n"
    "	ret\n"
    "	.cfi_endproc\n"
    "	.size call_\\name, . - call_\\name\n"
    ".endm\n"
    "caller popped, 16\n"
    "caller nothing, 0\n"
    "caller watched, 0\n");

static int unseen;

// The script follows.
__attribute__((noinline)) void set_probed(int on) {
    __asm__ volatile("" ::"r"(on));
}

static void wait_until_probed(int on) {
    const volatile unsigned char *entry = (const volatile unsigned char *)watched;
    set_probed(on);
    while ((*entry == 0xcc) != on || (*watched_exit == 0xcc) != on)
        sched_yield();
}

void inside(long n) {
    if (unseen && (n == 10 || n == 20)) wait_until_probed(n == 20);
}

static void say(const char *name, long result, const volatile unsigned char *to, long stack) {
    printf("%s %ld to %lx stack %lx\n", name, result, (long)to, stack);
}

int main(int argc, char **argv) {
    long stack;
    unseen = argc > 1 && !strcmp(argv[1], "unseen");
    if (unseen) {
        for (long n = 9; n <= 30; n++)
            call_watched(n, &stack);
        puts("returned 9 21 22 23 24 25 26 27 28 29 30");
        return 0;
    }
    for (long n = 1; n < 4; n++) {
        long result = call_popped(n, &stack);
        say("popped", result, popped_to, stack);
        result = call_nothing(n, &stack);
        say("nothing", result, nothing_to, stack);
        printf("nothing after %ld\n", n);
        result = call_watched(n, &stack);
        say("watched", result, watched_to, stack);
    }
    return 0;
}
