/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/module.h>: where a module's size is kept. */
#ifndef TAPIR_COMPAT_MODULE_H
#define TAPIR_COMPAT_MODULE_H

#include <linux/module.h>
#include <tapir_kernel_features.h>

static inline u64 tapir_module_bytes(const struct module *module)
{
#if TAPIR_HAVE_MODULE_CORE_LAYOUT
	return module->core_layout.size;
#elif TAPIR_HAVE_MODULE_MEM
	u64 bytes = 0;

	for_class_mod_mem_type(type, core)
		bytes += module->mem[type].size;
	return bytes;
#else
	return 0;
#endif
}

#endif
