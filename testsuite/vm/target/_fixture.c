// SPDX-License-Identifier: GPL-2.0-or-later
/* Values of every kind, and what the compiler says they are: reading /sys/module/_fixture/parameters/values. */
#include <linux/module.h>
#include <linux/moduleparam.h>

enum fixture_color { FIXTURE_RED, FIXTURE_GREEN = 5, FIXTURE_NEGATIVE = -7 };

struct fixture {
    signed char s8;
    unsigned char u8;
    short s16;
    unsigned short u16;
    int s32;
    unsigned int u32;
    long long s64;
    unsigned long long u64;
    char letter;
    bool yes;
    enum fixture_color color, negative;
    unsigned int low : 3, mid : 11, high : 18;
    int signed_bits : 5, more_signed_bits : 17;
    unsigned long long wide_bits : 37, rest_bits : 20;
    union {
        unsigned long all;
        struct {
            unsigned short half[2];
            union {
                int deep;
                unsigned char bytes[4];
            };
        };
    };
    int table[3][4];
    struct {
        int x, y;
    } points[7];
    char text[16];
    const char *pointer_to_text;
    const char *nowhere;
    struct fixture *self, **self_again;
    int (*function)(const char *, ...);
    int volatile const qualified;
};

static struct fixture *again;
static const char *const message = "pointed at";

static struct fixture fixture = {
    .s8 = -100,
    .u8 = 200,
    .s16 = -30000,
    .u16 = 60000,
    .s32 = -2000000000,
    .u32 = 4000000000u,
    .s64 = -9000000000000000000ll,
    .u64 = 18000000000000000000ull,
    .letter = 'L',
    .yes = true,
    .color = FIXTURE_GREEN,
    .negative = FIXTURE_NEGATIVE,
    .low = 5,
    .mid = 1234,
    .high = 200001,
    .signed_bits = -9,
    .more_signed_bits = -54321,
    .wide_bits = 0x1234567890,
    .rest_bits = 0xabcde,
    .half = {0x1234, 0xfedc},
    .deep = -559038737,
    .table = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, -11, 12}},
    .points = {{1, -1}, {2, -2}, {3, -3}, {4, -4}, {5, -5}, {6, -6}, {7, -7}},
    .text = "in place",
    .self = &fixture,
    .self_again = &again,
    .qualified = 77,
};

static int values_get(char *buffer, const struct kernel_param *parameter) {
    struct fixture *f = &fixture;

    return scnprintf(buffer, PAGE_SIZE,
                     "%d %u %d %u %d %u %lld %llu %d %d\n%d %d\n%u %u %u %d %d %llu %llu\n%lu %u %u %d %u %u\n%d %d "
                     "%d\n%d %d\n%s %s\n%d %d %d %d\n",
                     f->s8, f->u8, f->s16, f->u16, f->s32, f->u32, f->s64, f->u64, f->letter, f->yes, f->color,
                     f->negative, f->low, f->mid, f->high, f->signed_bits, f->more_signed_bits,
                     (unsigned long long)f->wide_bits, (unsigned long long)f->rest_bits, f->all, f->half[0], f->half[1],
                     f->deep, f->bytes[0], f->bytes[3], f->table[0][0], f->table[1][2], f->table[2][2], f->points[2].x,
                     f->points[6].y, f->text, f->pointer_to_text, f->self->self->u8, (*f->self_again)->s16,
                     f->qualified, (int)(offsetof(struct fixture, points[3].y)));
}

static const struct kernel_param_ops values_ops = {.get = values_get};
module_param_cb(values, &values_ops, NULL, 0444);

static int __init fixture_init(void) {
    again = &fixture;
    fixture.pointer_to_text = message;
#ifdef printk
    fixture.function = _printk;
#else
    fixture.function = printk; /* was a function until Linux 5.15 */
#endif
    return 0;
}
module_init(fixture_init);

static void __exit fixture_exit(void) {}
module_exit(fixture_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Values for tests of target variables");
