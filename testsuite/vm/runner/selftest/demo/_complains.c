// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/bug.h>
#include <linux/module.h>

static int __init complains_init(void) {
    WARN(1, "a complaint\n");
    return 0;
}

static void __exit complains_exit(void) {}

module_init(complains_init);
module_exit(complains_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Makes the kernel log a warning");
