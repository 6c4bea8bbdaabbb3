/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules of the kernel whose symbols a script names ("module:symbol"): they are followed while they are loaded and unloaded.
 *
 * The kernel's notifiers report a module after its code is in place and before its init function runs, and before its code goes,
 * after its exit function ran. Then the addresses of its symbols are taken from its own symbol table, and the kinds attach and
 * detach their probes in it, in the thread that loads or unloads it. A module of another build than the script's debug information
 * is left alone.
 */
#ifndef TAPIR_KMOD_MODULES_H
#define TAPIR_KMOD_MODULES_H

#include <tapir/abi.h>

struct module;

#define TAPIR_NO_MODULE (~0u)

enum tapir_module_event {
	TAPIR_MODULE_CAME,   /* its symbols have addresses */
	TAPIR_MODULE_INITED, /* the code that only initialises it is about to be freed; kprobes in it are gone */
	TAPIR_MODULE_GOES,   /* all of the module is about to be freed; kprobes in it are gone */
};

/*
 * Finds out which modules the script names and which of them are there, and begins to follow them; `tell` is called with the lock
 * below held, in any thread, for each event from then on, and may sleep. -errno: reported. Session thread.
 */
int tapir_modules_start(void (*tell)(u32 module, enum tapir_module_event event));
/* Without the lock. No event will come afterwards. */
void tapir_modules_stop(void);
/* Warns of modules that were needed and never came. Session thread. */
void tapir_modules_report(void);

/* Returns false, with a warning, if the script was translated by debug information for another build of it. Any thread. */
bool tapir_module_fits(const struct module *module);

/*
 * Serialises the session's arming and disarming with modules that come and go. Waits for modules that are on their way out. May
 * sleep. Session thread.
 */
void tapir_modules_lock(void);
void tapir_modules_unlock(void);

/* The rest with the lock held. */

/* The module whose symbol it is, by tapir_module.symbols; TAPIR_NO_MODULE: the kernel's own, or none. */
u32 tapir_module_of(u32 symbol);
bool tapir_module_is_there(u32 module);
/* The module was compared with the script's debug information: a symbol that it does not have was its initialisation's. */
bool tapir_module_is_known(u32 module);
/* Is the address in code that is freed after the module was initialised? */
bool tapir_module_in_init(u32 module, unsigned long address);
/* A probe that names its places itself waits for the module. */
void tapir_module_need(u32 module);

#endif
