/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interpreters of other languages in the probed processes, for C in tapsets. A process runs one if it has mapped an interpreter's
 * file, under any path: the loader recognises the file by its symbols (struct tapir_interpreter).
 */
#ifndef TAPIR_INTERPRETER_H
#define TAPIR_INTERPRETER_H

#include <tapir/context.h>
#include <tapir/wire.h>

/* Where an interpreter is in a process. */
struct tapir_interpreter_place {
	u32 object;				    /* the port's */
	u64 variables[TAPIR_INTERPRETER_VARIABLES]; /* addresses of its variables, as @interpreter() lists them; 0: it has none */
	u64 contents[TAPIR_INTERPRETER_VARIABLES];  /* the first 8 bytes of each in its file, even if they are not in memory */
};

/* ---- for handlers; any context ---- */

/* The interpreter of a name in the current process. False: it has mapped none, or none that the loader has looked at yet, or one
 * without the first variable, which is then unknown. */
bool tapir_interpreter_find(struct tapir_ctx *c, const char *name, struct tapir_interpreter_place *place);
/* The tapset cannot read this interpreter: `what` identifies it. The loader tells the user once for each file. */
void tapir_interpreter_unknown(const struct tapir_interpreter_place *place, const char *what);
/* Likewise: "has no SYMBOL". */
void tapir_interpreter_lacks(const struct tapir_interpreter_place *place, const char *symbol);
/* Likewise, with the version: "is NAME MAJOR.MINOR". */
void tapir_interpreter_unknown_version(const struct tapir_interpreter_place *place, const char *name, u32 major, u32 minor);
/* The name of interpreter number `number`, from 1 on, or "". And the function whose call runs its frames. */
const char *tapir_interpreter_name(s64 number);
const char *tapir_interpreter_loop(const char *name);
/* The name of the interpreter that runs innermost in a kept stack, by the files of its frames; "": none does. Linked with user
 * stacks. */
const char *tapir_stack_interpreter(s64 number);
/* Returns the name of the interpreter whose file is mapped at an address of the current process, or "". */
const char *tapir_address_interpreter(struct tapir_ctx *c, u64 address);

/* ---- the port's side ---- */

/* Finds an interpreter by its number, from 1 on. Sets *looked to the number of mappings that it looked at. */
bool tapir_port_interpreter(u32 number, struct tapir_interpreter_place *place, u32 *looked);
void tapir_port_interpreter_unknown(u32 object, const char *what);
/* Returns the number of an object's interpreter; 0 if the object is not one. */
u32 tapir_port_object_interpreter(u32 object);

#endif
