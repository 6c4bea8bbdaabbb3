/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/module.h>: where a module's parts are kept, since 6.4 (ac3b43283923) one by one. */
#ifndef TAPIR_COMPAT_MODULE_H
#define TAPIR_COMPAT_MODULE_H

#include <linux/elf.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
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

/* The data that a module may only read, from when its init function runs. */
static inline const void *tapir_module_rodata(const struct module *module, size_t *bytes)
{
#if TAPIR_HAVE_MODULE_CORE_LAYOUT
	*bytes = module->core_layout.ro_size - module->core_layout.text_size;
	return (const char *)module->core_layout.base + module->core_layout.text_size;
#elif TAPIR_HAVE_MODULE_MEM
	*bytes = module->mem[MOD_RODATA].size;
	return module->mem[MOD_RODATA].base;
#else
	*bytes = 0;
	return NULL;
#endif
}

struct tapir_module_symbol {
	const char *name;
	unsigned long address; /* 0: it is another module's, or the kernel's */
	bool is_function;
};

/* A module's symbol table; NULL if it has none. Valid until rcu_read_unlock(). */
typedef const struct mod_kallsyms tapir_module_symbols;

static inline tapir_module_symbols *tapir_module_symbol_table(const struct module *module)
{
#ifdef CONFIG_KALLSYMS
	return rcu_dereference(module->kallsyms);
#else
	return NULL;
#endif
}

/* Entry `at` of the table, from 0; false: it has no more. */
static inline bool tapir_module_symbol_at(tapir_module_symbols *table, unsigned int at, struct tapir_module_symbol *symbol)
{
#ifdef CONFIG_KALLSYMS
	const Elf_Sym *entry;

	if (!table || at >= table->num_symtab)
		return false;
	entry = &table->symtab[at];
	symbol->name = table->strtab + entry->st_name;
	symbol->address = entry->st_shndx == SHN_UNDEF ? 0 : kallsyms_symbol_value(entry);
	symbol->is_function = ELF_ST_TYPE(entry->st_info) == STT_FUNC;
	return true;
#else
	return false;
#endif
}

#endif
