/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/cpuhotplug.h>: callbacks for processors before they run anything. */
#ifndef TAPIR_COMPAT_CPU_HOTPLUG_H
#define TAPIR_COMPAT_CPU_HOTPLUG_H

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>

/*
 * Calls `come` for each processor that is online, and from now on for each before it starts; it must bear a second call. May sleep.
 * Returns the state to remove without calls, or -errno of `come`, after which nothing is registered. 0: the kernel has no state
 * left, and `come` was called for all possible processors.
 *
 * cpuhp_setup_state() of 5.10 does not call the callback of such a state for anyone, and reports success.
 */
static inline int tapir_cpu_hotplug_prepare(const char *name, int (*come)(unsigned int cpu))
{
	int cpu, state, error = 0;

	cpus_read_lock();
	state = cpuhp_setup_state_nocalls_cpuslocked(CPUHP_BP_PREPARE_DYN, name, come, NULL);
	for_each_cpu(cpu, state > 0 ? cpu_online_mask : cpu_possible_mask)
	{
		error = come(cpu);
		if (error)
			break;
	}
	cpus_read_unlock();
	if (error && state > 0)
		cpuhp_remove_state_nocalls(state);
	return error ?: max(state, 0);
}

#endif
