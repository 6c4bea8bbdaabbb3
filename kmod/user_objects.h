/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ELF objects of user processes and their unwind tables. A walk meets an object by the mapping of its file; the loader makes the
 * table and hands it in. Linked only when a script looks at user stacks.
 */
#ifndef TAPIR_USER_OBJECTS_H
#define TAPIR_USER_OBJECTS_H

#include <linux/atomic.h>
#include <linux/fs.h>
#include <linux/mm_types.h>
#include <tapir/unwind.h>
#include <tapir/wire.h>

/* Returns the table of a mapping. NULL if it has not arrived; the loader is then asked for it. Any context; the mapping stays.
 * `vdso`: the mapping is the vDSO, which has no file. *object is its number, TAPIR_UNWIND_NO_NUMBER if there is no room for it. The
 * table lives until the module goes. */
const struct tapir_unwind_table *tapir_user_object_table(const struct vm_area_struct *vma, bool vdso, u32 *object);

/* May the table of an object come, or has it by now? Any context. */
bool tapir_user_object_coming(u32 object);

/* The facts about an object that is an interpreter. They stay as long as the module is loaded. */
struct tapir_object_interpreter {
	struct tapir_file_interpreter file;
	atomic_t unknown; /* enum tapir_interpreter_note */
	char what[32];	  /* which one it is, if it is unknown */
};
enum tapir_interpreter_note { TAPIR_INTERPRETER_FINE, TAPIR_INTERPRETER_TELLING, TAPIR_INTERPRETER_TOLD };

/* Returns NULL if the object is not an interpreter, or the loader has not looked yet. Any context. */
struct tapir_object_interpreter *tapir_user_object_interpreter(u32 object);

/* Counts a walk. Any context. */
void tapir_user_stack_count(u32 end);
/* A walk that was counted has ended otherwise. Any context. */
void tapir_user_stack_recount(u32 from, u32 to);

/* The operations on these for other files, which find them where they are linked. */
struct tapir_user_object_ops {
	int (*want)(struct tapir_ioc_unwind_want *want);
	int (*put)(const struct tapir_ioc_unwind_put *put);
	int (*process)(const struct tapir_ioc_unwind_process *process);
	int (*file)(const struct tapir_ioc_unwind_file *file);
	int (*count)(struct tapir_ioc_unwind_count *count);
	int (*put_interpreter)(const struct tapir_ioc_put_interpreter *put);
	int (*unknown)(struct tapir_ioc_unknown_interpreter *unknown);
	/* Around the time in which handlers run. */
	void (*start)(void);
	void (*stop)(void);
	/* Wants the tables of all code of a process, and waits until each is there or will not be; up to a minute, and while the
	 * session's handlers may continue. The caller keeps `mm`. Session thread. */
	void (*await)(struct mm_struct *mm);
	/* No handler will run again. */
	void (*destroy)(void);
};
extern const struct tapir_user_object_ops tapir_user_object_ops __weak;

static inline bool tapir_has_user_objects(void)
{
	return &tapir_user_object_ops != NULL;
}

#endif
