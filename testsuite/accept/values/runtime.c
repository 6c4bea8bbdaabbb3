// SPDX-License-Identifier: GPL-2.0-or-later
// Runs the random programs: on a stack of their own, with functions for memory of their own, so that addresses and
// registers are the same on each processor. It says where its entry point is in memory.
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <ucontext.h>
#include <unistd.h>

#define PLAIN __attribute__((noinline, used))

int run_program(void);
volatile long sink;

static _Alignas(64) char stack[1 << 18];
static ucontext_t outside, inside;

PLAIN int again(void) {
    __asm__ volatile("" : : : "memory");
    return 0;
}

PLAIN void *memcpy(void *to, const void *from, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ((char *)to)[i] = ((const char *)from)[i];
        __asm__ volatile("");
    }
    return to;
}

PLAIN void *memset(void *to, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) {
        ((char *)to)[i] = (char)byte;
        __asm__ volatile("");
    }
    return to;
}

static void run(void) {
    run_program();
}

int main(int argc, char **argv) {
    char text[4096];

    snprintf(text, sizeof(text), "ENTRY %s %lx\n", argc ? argv[0] : "", getauxval(AT_ENTRY));
    if (write(1, text, strlen(text)) < 0) return 1;
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = sizeof(stack);
    inside.uc_link = &outside;
#ifdef __x86_64__
    // The new stack holds main()'s registers, which are read there as variables without a value.
    memset(&inside.uc_mcontext.gregs, 0, sizeof(inside.uc_mcontext.gregs));
#endif
    makecontext(&inside, run, 0);
    return swapcontext(&outside, &inside);
}
