// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that the compiler does not optimize: they put their parameters into their frames first. Reading
 * /sys/module/_frames/parameters/call calls them. */
#include <linux/module.h>
#include <linux/moduleparam.h>

#define PLAIN __attribute__((optimize("O0"), __noinline__))

struct wide {
    long first, second, third;
};

struct pair {
    long first;
    int second;
};

static volatile long sink;

static PLAIN long many(signed char a, const char *name, unsigned short c, bool d, struct pair e, long f, int g) {
    long sum = a + name[0] + c;

    sink = sum + d + e.second + f + g;
    return sink;
}

static PLAIN struct wide wide_result(int a, struct wide in, unsigned int b) {
    in.first = a;
    in.third += b;
    return in;
}

static int call(char *buffer, const struct kernel_param *unused) {
    struct pair pair = {-5, 6};
    struct wide wide = {1, 2, 3};
    long sum = many(-3, "text", 65535, true, pair, 1L << 40, -7);

    wide = wide_result(-9, wide, 4000000000u);
    return sprintf(buffer, "%ld %ld\n", sum, wide.third);
}

static const struct kernel_param_ops ops = {.get = call};
module_param_cb(call, &ops, NULL, 0400);
MODULE_LICENSE("GPL");
