// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of kernel symbols. The loader gives them from one pass over /proc/kallsyms; the rest is found one by one. */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tapir/abi.h>
#include "arch/this_arch.h"
#include "symbols.h"

struct tapir_symbol {
	unsigned long address;
	bool known;
};
static struct tapir_symbol *tapir_symbols;

int tapir_symbols_create(void)
{
	if (!tapir_module.nsymbols)
		return 0;
	tapir_symbols = kvcalloc(tapir_module.nsymbols, sizeof(*tapir_symbols), GFP_KERNEL);
	return tapir_symbols ? 0 : -ENOMEM;
}

void tapir_symbols_destroy(void)
{
	kvfree(tapir_symbols);
	tapir_symbols = NULL;
}

int tapir_symbol_set(u32 index, u64 address)
{
	if (index >= tapir_module.nsymbols)
		return -EINVAL;
	tapir_symbols[index].address = address;
	tapir_symbols[index].known = true;
	return 0;
}

/* A kprobe that is registered disabled changes no code, but says where the symbol is, even when it may not be probed. */
unsigned long tapir_symbol_find(const char *name)
{
	struct kprobe probe = {.symbol_name = name, .flags = KPROBE_FLAG_DISABLED};

	if (!register_kprobe(&probe))
		unregister_kprobe(&probe);
	return probe.addr ? tapir_entry_function((unsigned long)probe.addr) : 0;
}

unsigned long tapir_symbol_address(u32 index)
{
	struct tapir_symbol *symbol = &tapir_symbols[index];

	if (!symbol->known) {
		symbol->address = tapir_symbol_find(tapir_module.symbols[index]);
		symbol->known = true;
	}
	return symbol->address;
}
