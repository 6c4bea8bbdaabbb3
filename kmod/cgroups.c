// SPDX-License-Identifier: GPL-2.0-or-later
/* The control group that handlers are limited to: see cgroups.h. */
#include <linux/err.h>
#include "cgroups.h"

struct cgroup *tapir_cgroup;

int tapir_cgroup_set(int fd)
{
	struct cgroup *group;

	if (tapir_cgroup)
		return -EBUSY;
	group = tapir_cgroup_of_directory(fd);
	if (IS_ERR(group))
		return PTR_ERR(group);
	tapir_cgroup = group;
	return 0;
}

void tapir_cgroup_release(void)
{
	if (tapir_cgroup)
		tapir_cgroup_put(tapir_cgroup);
	tapir_cgroup = NULL;
}
