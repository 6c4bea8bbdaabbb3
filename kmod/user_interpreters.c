// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The port API: interpreters that the current process runs. The kernel's mappings tell what is mapped, under the process's
 * mmap_lock; the loader has told which files are interpreters (user_objects.c). A remembered place is only where to look first.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <tapir/interpreter.h>
#include "compat/user_stack.h"
#include "user_code.h"
#include "user_lock.h"
#include "user_mappings.h"
#include "user_objects.h"

#define TAPIR_INTERPRETER_BITS 8

/* Hashed by process and interpreter: an address that is mapped of its file; 0: none was found yet. It may be another process's. */
static unsigned long tapir_interpreter_places[1u << TAPIR_INTERPRETER_BITS];

/* Finds an interpreter by a mapping of its file: all its variables moved by the same distance. False if the mapping does not show
 * it. */
static bool tapir_interpreter_of_mapping(const struct tapir_object_interpreter *interpreter, u32 object, u64 start, u64 place,
					 bool code, struct tapir_interpreter_place *out)
{
	const struct tapir_file_interpreter *file = &interpreter->file;
	u64 moved = start - place - (code ? file->bias : file->lead);
	u32 i;

	if (!code && place)
		return false;
	out->object = object;
	for (i = 0; i < TAPIR_INTERPRETER_VARIABLES; i++) {
		out->variables[i] = file->variables[i] ? file->variables[i] + moved : 0;
		out->contents[i] = file->contents[i];
	}
	return true;
}

/* Remembers the mapping it finds, for hits that cannot take the lock. */
static bool tapir_interpreter_of_vma(struct mm_struct *mm, const struct vm_area_struct *vma, u32 number,
				     struct tapir_interpreter_place *out)
{
	const struct tapir_object_interpreter *interpreter;
	struct tapir_unwind_mapping mapping;

	if (!tapir_user_has_file(vma))
		return false;
	tapir_user_mapping_of(mm, vma, false, &mapping);
	interpreter = tapir_user_object_interpreter(mapping.object);
	return interpreter && interpreter->file.number == number &&
	       tapir_interpreter_of_mapping(interpreter, mapping.object, mapping.start, mapping.place, !mapping.no_code, out);
}

/* Code in no file may be a copy of that of an interpreter, whose first bytes are still mapped below. */
static bool tapir_interpreter_below(struct mm_struct *mm, const struct vm_area_struct *code, u32 number,
				    struct tapir_interpreter_place *out)
{
	const struct vm_area_struct *below = tapir_user_has_file(code) ? NULL : tapir_user_file_below(mm, code);

	return below && tapir_interpreter_of_vma(mm, below, number, out);
}

/* Finds an interpreter by a mapping of code, or by one beside it. */
static bool tapir_interpreter_at(struct mm_struct *mm, const struct vm_area_struct *code, u32 number,
				 struct tapir_interpreter_place *out)
{
	return tapir_interpreter_of_vma(mm, code, number, out) || tapir_interpreter_below(mm, code, number, out);
}

/* A file that only has an interpreter's name counts if no other file matches. The mmap_lock is held. */
static bool tapir_interpreter_search(struct mm_struct *mm, u32 number, struct tapir_interpreter_place *out, u32 *looked)
{
	unsigned long *known = &tapir_interpreter_places[hash_64((unsigned long)mm + number, TAPIR_INTERPRETER_BITS)];
	struct tapir_user_code code = {.mm = mm, .left = TAPIR_USER_MAPPINGS_SEARCHED};
	const struct vm_area_struct *first = READ_ONCE(*known) ? find_vma(mm, READ_ONCE(*known)) : NULL;
	struct tapir_interpreter_place alike;
	bool found = false;

	if (first && (first->vm_flags & VM_EXEC) && tapir_interpreter_at(mm, first, number, out) && out->variables[0])
		return true;
	while (tapir_user_code_next(&code)) {
		if (!tapir_interpreter_at(mm, code.vma, number, out))
			continue;
		found = true;
		alike = *out;
		if (!alike.variables[0])
			continue;
		WRITE_ONCE(*known, code.vma->vm_start);
		break;
	}
	*looked = TAPIR_USER_MAPPINGS_SEARCHED - code.left;
	if (found)
		*out = alike;
	return found;
}

bool tapir_port_interpreter(u32 number, struct tapir_interpreter_place *place, u32 *looked)
{
	struct mm_struct *mm = current->mm;
	struct tapir_unwind_mapping mapping;
	enum tapir_user_lock lock;
	bool found;

	if (!mm || (tapir_subject_task()->flags & PF_KTHREAD) || tapir_is_in_exec(mm))
		return false;
	lock = tapir_user_lock_try(mm);
	if (lock == TAPIR_USER_UNLOCKED)
		return tapir_user_mapping_recall_interpreter(mm, number, &mapping) &&
		       tapir_interpreter_of_mapping(tapir_user_object_interpreter(mapping.object), mapping.object, mapping.start,
						    mapping.place, !mapping.no_code, place);
	found = tapir_interpreter_search(mm, number, place, looked);
	tapir_user_unlock(mm, lock);
	return found;
}

u32 tapir_port_object_interpreter(u32 object)
{
	const struct tapir_object_interpreter *interpreter = tapir_user_object_interpreter(object);

	return interpreter ? interpreter->file.number : 0;
}

/* The first caller writes. */
void tapir_port_interpreter_unknown(u32 object, const char *what)
{
	struct tapir_object_interpreter *interpreter = tapir_user_object_interpreter(object);

	if (!interpreter ||
	    atomic_cmpxchg(&interpreter->unknown, TAPIR_INTERPRETER_FINE, TAPIR_INTERPRETER_TELLING) != TAPIR_INTERPRETER_FINE)
		return;
	strscpy(interpreter->what, what, sizeof(interpreter->what));
	atomic_set_release(&interpreter->unknown, TAPIR_INTERPRETER_TOLD);
}
