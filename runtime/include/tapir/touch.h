/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bringing user memory in. A handler cannot sleep, and so cannot read memory that the process has not touched yet or that was
 * swapped out. But a probe in a program is hit where the task may sleep. So the kind reads, before the handler runs, memory that
 * the handler is going to read, as far as the translator knows it: addresses that follow from registers and from memory. Small
 * programs for a stack machine describe these reads, in one list. A failed read is no error here: the handler will notice it.
 */
#ifndef TAPIR_TOUCH_H
#define TAPIR_TOUCH_H

#include <tapir/abi.h>

enum tapir_touch_op {
	TAPIR_TOUCH_CONSTANT, /* pushes value */
	TAPIR_TOUCH_PROGRAM,  /* pushes where the address `value` of program `detail`, as linked, is in the process */
	TAPIR_TOUCH_REGISTER, /* pushes register `detail` (DWARF number) */
	TAPIR_TOUCH_ARGUMENT, /* pushes argument `detail`, from 1, of the function at whose entry the hit is */
	TAPIR_TOUCH_LOAD,     /* replaces an address by `detail` bytes at it, zero-extended; a fault ends this program */
	TAPIR_TOUCH_ADD,      /* of the two on top, as the rest */
	TAPIR_TOUCH_SUBTRACT,
	TAPIR_TOUCH_MULTIPLY,
	TAPIR_TOUCH_AND,
	TAPIR_TOUCH_OR,
	TAPIR_TOUCH_XOR,
	TAPIR_TOUCH_SHIFT_LEFT,
	TAPIR_TOUCH_SHIFT_RIGHT, /* logical */
	TAPIR_TOUCH_SHIFT_RIGHT_SIGNED,
	TAPIR_TOUCH_TEXT, /* reads at the address on top, as much as a string's usual length, and ends the program */
	TAPIR_TOUCH_END,  /* ends the program; the next one begins with an empty stack */
};

#define TAPIR_TOUCH_DEPTH 8

/* Operations for the machine below; `data` is the caller's. */
struct tapir_touch_port {
	bool (*read)(void *data, u64 address, void *dst, u32 length); /* may sleep; false: fault */
	bool (*reg)(void *data, u32 number, u64 *value);
	bool (*argument)(void *data, u32 number, u64 *value); /* from 1; false: not in a register */
	bool (*program)(void *data, u32 program, u64 *bias);  /* see tapir_port_program_bias() */
	void *data;
};

/* Process context, may sleep. Bounded by `count`. */
void tapir_touch_run(const struct tapir_touch *list, u32 count, const struct tapir_touch_port *port);

#endif
