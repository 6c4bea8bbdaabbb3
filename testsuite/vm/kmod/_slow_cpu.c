// SPDX-License-Identifier: GPL-2.0-or-later
/* While it is loaded, CPUs take a second and a half to come online, after relay has made their buffers. */
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/module.h>

static int state;

static int wait_a_while(unsigned int cpu)
{
	msleep(1500);
	return 0;
}

static int __init slow_init(void)
{
	state = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN, "tapir-test:slow", wait_a_while, NULL);
	return state < 0 ? state : 0;
}

static void __exit slow_exit(void)
{
	cpuhp_remove_state_nocalls(state);
}

module_init(slow_init);
module_exit(slow_exit);
MODULE_LICENSE("GPL");
