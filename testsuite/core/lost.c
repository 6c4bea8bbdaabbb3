// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that have lost what their callers had in registers, and say so, or say it in a form that tables cannot
 * hold.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void lose_undefined(void);
void lose_expression(void);
void lose_frame(void **room);

/* rbx is undefined in the caller. */
__asm__(
    ".text\n"
    ".globl lose_undefined\n"
    ".type lose_undefined, @function\n"
    "lose_undefined:\n"
    "    .cfi_startproc\n"
    "    sub $8, %rsp\n"
    "    .cfi_adjust_cfa_offset 8\n"
    "    mov $666, %ebx\n"
    "    .cfi_undefined rbx\n"
    "    call with_expression\n"
    "    ud2\n"
    "    .cfi_endproc\n"
    ".size lose_undefined, .-lose_undefined\n");

/* rbx is where a pointer on the stack points at. */
__asm__(
    ".globl lose_expression\n"
    ".type lose_expression, @function\n"
    "lose_expression:\n"
    "    .cfi_startproc\n"
    "    sub $24, %rsp\n"
    "    .cfi_adjust_cfa_offset 24\n"
    "    mov %rbx, saved_rbx(%rip)\n"
    "    lea saved_rbx(%rip), %rax\n"
    "    mov %rax, 8(%rsp)\n"
    "    mov $666, %ebx\n"
    "    .cfi_escape 0x10, 3, 3, 0x77, 8, 0x06\n"
    "    call wait_there\n"
    "    ud2\n"
    "    .cfi_endproc\n"
    ".size lose_expression, .-lose_expression\n"
    ".lcomm saved_rbx, 8\n");

/* rbp, by which the caller's frame is found, is undefined; it points at something that looks like a frame. */
__asm__(
    ".globl lose_frame\n"
    ".type lose_frame, @function\n"
    "lose_frame:\n"
    "    .cfi_startproc\n"
    "    sub $8, %rsp\n"
    "    .cfi_adjust_cfa_offset 8\n"
    "    mov 8(%rbp), %rax\n"
    "    mov %rax, 8(%rdi)\n"
    "    mov %rdi, %rbp\n"
    "    .cfi_undefined rbp\n"
    "    call with_undefined\n"
    "    ud2\n"
    "    .cfi_endproc\n"
    ".size lose_frame, .-lose_frame\n");

static volatile int never;

__attribute__((noinline, used)) void wait_there(void) {
    printf("ready\n");
    fflush(stdout);
    while (!never)
        pause();
}

__attribute__((noinline, used)) int with_expression(void) {
    const int kept = atoi("456");
    lose_expression();
    return kept * 3;
}

__attribute__((noinline, used)) int with_undefined(void) {
    const int kept = atoi("123");
    lose_undefined();
    return kept * 3;
}

__attribute__((noinline)) int with_frame(int words) {
    void **room = __builtin_alloca((size_t)words * sizeof *room);
    lose_frame(room);
    return room[0] != 0;
}

int main(int argc, char **argv) {
    (void)argv;
    return with_frame(argc * 16) + argc;
}
