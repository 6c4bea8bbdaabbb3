// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of probes, as BPF knows them: by their addresses, which descriptors of probes hold, and their names. */
#include <tapir/abi.h>

struct tapir_kind_ops {
	const char *name;
};

#define TAPIR_KIND(Name, name, LEAF, registers, flags) const struct tapir_kind_ops tapir_kind_##name = {#name};
#include <tapir/kinds.def>
