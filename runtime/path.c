// SPDX-License-Identifier: GPL-2.0-or-later
/* A path is built from its end, in the scratch memory, behind room for one name. */
#include <tapir/context.h>
#include <tapir/path.h>
#include <tapir/port.h>
#include <tapir/string.h>
#include <tapir/text.h>
#include <tapir/work.h>

#define NAME_BYTES 256

struct walk {
	struct tapir_ctx *c;
	char *name, *first, *begin; /* one name; where the path may begin, and where it does so far */
};

static struct walk begin_walk(struct tapir_ctx *c)
{
	char *scratch = c->scratch, *end = scratch + TAPIR_SCRATCH_BYTES - 1;

	*end = 0;
	return (struct walk){c, scratch, scratch + NAME_BYTES, end};
}

static bool read_at(struct walk *w, void *to, u64 address, u32 bytes)
{
	if (!tapir_port_read_kernel(to, address, bytes))
		return true;
	tapir_error_fault(w->c, "read", address);
	return false;
}

static bool read_pointer(struct walk *w, u64 *to, u64 address)
{
	return read_at(w, to, address, sizeof(*to));
}

enum step { STEP_ON, STEP_FULL, STEP_FAILED };

/* Puts "/NAME" before the path; the name ends at a NUL, or after `length` bytes. */
static enum step prepend_name(struct walk *w, u32 length)
{
	u32 i;

	for (i = 0; i < length && w->name[i]; i++)
		;
	if (i + 1 > (u64)(w->begin - w->first))
		return STEP_FULL;
	w->begin -= i;
	__builtin_memcpy(w->begin, w->name, i);
	*--w->begin = '/';
	return STEP_ON;
}

static enum step prepend_dentry(struct walk *w, const struct tapir_path_layout *layout, u64 dentry)
{
	u64 name = 0;
	u32 length = 0;

	if (!read_pointer(w, &name, dentry + layout->name) || !read_at(w, &length, dentry + layout->name_length, sizeof(length)))
		return STEP_FAILED;
	/* While the file is renamed, length and name need not be of the same one. */
	if (length > NAME_BYTES)
		length = NAME_BYTES;
	return read_at(w, w->name, name, length) ? prepend_name(w, length) : STEP_FAILED;
}

static enum step prepend_node(struct walk *w, const struct tapir_node_layout *layout, u64 node)
{
	u64 name = 0;
	int length;

	if (!read_pointer(w, &name, node + layout->name))
		return STEP_FAILED;
	length = tapir_port_read_kernel_string(w->name, name, NAME_BYTES);
	if (length >= 0)
		return prepend_name(w, (u32)length);
	tapir_error_fault(w->c, "read", name);
	return STEP_FAILED;
}

static void finish(struct walk *w, const char *before, char *dst, u32 cap)
{
	const char *const parts[] = {before, w->begin};

	tapir_str_join(dst, parts, 2, cap);
}

void tapir_path_text(struct tapir_ctx *c, const struct tapir_path_layout *layout, struct tapir_path from, struct tapir_path root,
		     char *dst, u32 cap)
{
	struct walk w = begin_walk(c);
	u64 mount_root = 0, parent = 0, mount;
	u32 steps;

	dst[0] = 0;
	if (from.mount && !read_pointer(&w, &mount_root, from.mount + layout->mount_root))
		return;
	for (steps = 0; steps < TAPIR_PATH_STEPS && tapir_work(c, TAPIR_WORK_PATH_STEP); steps++) {
		if (from.dentry == root.dentry && from.mount == root.mount) {
			finish(&w, "", dst, cap);
			return;
		}
		if (from.mount && from.dentry == mount_root) {
			mount = from.mount - layout->mount;
			if (!read_pointer(&w, &parent, mount + layout->mount_parent))
				return;
			if (parent == mount) {
				finish(&w, "", dst, cap);
				return;
			}
			from.mount = parent + layout->mount;
			if (!read_pointer(&w, &from.dentry, mount + layout->mount_mountpoint) ||
			    !read_pointer(&w, &mount_root, from.mount + layout->mount_root))
				return;
			continue;
		}
		if (!read_pointer(&w, &parent, from.dentry + layout->parent))
			return;
		if (parent == from.dentry) {
			if (from.mount)
				tapir_str_copy(dst, "<unknown>", cap);
			else
				finish(&w, "", dst, cap);
			return;
		}
		switch (prepend_dentry(&w, layout, from.dentry)) {
		case STEP_ON:
			from.dentry = parent;
			continue;
		case STEP_FULL:
			break;
		case STEP_FAILED:
			return;
		}
		break;
	}
	finish(&w, "...", dst, cap);
}

void tapir_node_path_text(struct tapir_ctx *c, const struct tapir_node_layout *layout, u64 node, char *dst, u32 cap)
{
	struct walk w = begin_walk(c);
	u64 parent = 0;
	u32 steps;

	dst[0] = 0;
	for (steps = 0; steps < TAPIR_PATH_STEPS && tapir_work(c, TAPIR_WORK_PATH_STEP); steps++) {
		enum step step;

		if (!read_pointer(&w, &parent, node + layout->parent))
			return;
		if (!parent) {
			finish(&w, steps ? "" : "/", dst, cap);
			return;
		}
		step = prepend_node(&w, layout, node);
		if (step == STEP_FAILED)
			return;
		if (step == STEP_FULL)
			break;
		node = parent;
	}
	finish(&w, "...", dst, cap);
}
