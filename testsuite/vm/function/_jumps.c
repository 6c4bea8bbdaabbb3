// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions without a place for ftrace (its Makefile says so), in whose entries the kernel can put jumps instead of
 * breakpoints. Reading /sys/module/_jumps/parameters/call calls each of them 7 times, and `round_ends` once.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#define FUNCTION(name, factor)                  \
    static noinline long name(long a, long b) { \
        long c = a * factor + b;                \
                                                \
        c ^= a << 3;                            \
        c += b * 11;                            \
        WRITE_ONCE(sink, c);                    \
        return c - a;                           \
    }

static long sink;

static noinline long jump_one(long a, long b) {
    long c = a * 3 + b;

    c ^= a << 3;
    WRITE_ONCE(sink, c);
    c += b * 11;
    WRITE_ONCE(sink, c + a);
    return c - a;
}

FUNCTION(jump_two, 5)
FUNCTION(jump_three, 9)
FUNCTION(round_ends, 17)

static int call(char *buffer, const struct kernel_param *unused) {
    long i, sum = 0;

    for (i = 0; i < 7; i++)
        sum += jump_one(i, sum) + jump_two(sum, i) + jump_three(i, i);
    return sprintf(buffer, "%ld\n", sum + round_ends(sum, i));
}

static const struct kernel_param_ops ops = {.get = call};
module_param_cb(call, &ops, NULL, 0400);
MODULE_LICENSE("GPL");
