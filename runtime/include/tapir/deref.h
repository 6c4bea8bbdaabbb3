/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers and memory of the hit. Any handler context. A read that faults raises a run-time error and gives 0; a write that faults
 * raises one and changes nothing.
 */
#ifndef TAPIR_DEREF_H
#define TAPIR_DEREF_H

#include <tapir/context.h>
#include <tapir/registers.h>

u64 tapir_fault(struct tapir_ctx *c, const struct tapir_site *site, const char *what, u64 address);
u64 tapir_user_fault(struct tapir_ctx *c, const struct tapir_site *site, const char *what, u64 address);
s64 tapir_register_other(struct tapir_ctx *c, u32 number, const struct tapir_site *site);
u64 tapir_register_fault(struct tapir_ctx *c, const struct tapir_site *site, u32 number);
u64 tapir_program_fault(struct tapir_ctx *c, const struct tapir_site *site, u32 program, u32 found);

/* `size` bytes, 1 to 8, little-endian, zero-extended. */
static inline s64 tapir_load_kernel(struct tapir_ctx *c, s64 address, u32 size, const struct tapir_site *site)
{
	u64 value = 0;

	if (TAPIR_LIKELY(!tapir_port_read_kernel(&value, address, size)))
		return value;
	return tapir_fault(c, site, "read", address);
}

static inline s64 tapir_load_user(struct tapir_ctx *c, s64 address, u32 size, const struct tapir_site *site)
{
	u64 value = 0;

	if (TAPIR_LIKELY(!tapir_port_read_user(&value, address, size)))
		return value;
	return tapir_user_fault(c, site, "read", address);
}

static inline void tapir_store_kernel(struct tapir_ctx *c, s64 address, s64 value, u32 size, const struct tapir_site *site)
{
	if (tapir_port_write_kernel(address, &value, size))
		tapir_fault(c, site, "write", address);
}

static inline void tapir_store_user(struct tapir_ctx *c, s64 address, s64 value, u32 size, const struct tapir_site *site)
{
	if (tapir_port_write_user(address, &value, size))
		tapir_user_fault(c, site, "write", address);
}

/*
 * Reads a register of the hit by DWARF number. The two result registers are valid wherever a hit has registers. Handlers read
 * argument registers only where these are valid, too: at a return they use values saved at the entry.
 */
static inline s64 tapir_register(struct tapir_ctx *c, u32 number, const struct tapir_site *site)
{
	if (TAPIR_LIKELY(TAPIR_SAVED_REGISTERS && c->regs && number < 32 && (1u << number & TAPIR_ARGUMENT_REGISTERS)))
		return tapir_leaf_register(c->regs, number);
	return tapir_register_other(c, number, site);
}

static inline s64 tapir_user_register(struct tapir_ctx *c, u32 number, const struct tapir_site *site)
{
	u64 value;

	return TAPIR_LIKELY(tapir_port_user_register(c, number, &value)) ? value : tapir_register_fault(c, site, number);
}

static inline void tapir_set_register(struct tapir_ctx *c, u32 number, s64 value, const struct tapir_site *site)
{
	if (!tapir_port_set_hit_register(c, number, value))
		tapir_register_fault(c, site, number);
}

/* Where an address of a program, as linked, is in the current process. */
static inline s64 tapir_program_address(struct tapir_ctx *c, u32 program, s64 linked, const struct tapir_site *site)
{
	u64 bias;
	u32 found = tapir_port_program_bias(c, program, &bias);

	return TAPIR_LIKELY(found == TAPIR_PROGRAM_MAPPED) ? bias + linked : tapir_program_fault(c, site, program, found);
}

#endif
