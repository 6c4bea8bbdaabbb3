// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table of fixed size that only grows. A handler, even in an NMI, claims a slot with one atomic operation and leaves the
 * object's file there. The loader fetches the file, makes a table, and puts it. Tables stay until the module goes, so a found table
 * stays valid. The slot keeps the file itself, not its name: so ended processes, other mount namespaces and deleted files need no
 * special treatment.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <tapir/stacks.h>
#include <tapir/unfinished.h>
#include "arch/this_arch.h"
#include "compat/inode.h"
#include "compat/kprobe.h"
#include "compat/permission.h"
#include "compat/user_stack.h"
#include "port_memory.h"
#include "state.h"
#include "user_code.h"
#include "user_files.h"
#include "user_objects.h"

#define TAPIR_OBJECT_BITS  11
#define TAPIR_OBJECTS	   (1u << TAPIR_OBJECT_BITS)
#define TAPIR_OBJECT_TRIES 64u
#define TAPIR_TABLE_BYTES  (1ull << 28) /* of one object */
#define TAPIR_TABLES_BYTES (1ull << 30) /* of all */

enum tapir_object_state {
	TAPIR_OBJECT_FREE,
	TAPIR_OBJECT_CLAIMED, /* somebody is filling in which it is */
	TAPIR_OBJECT_WANTED,
	TAPIR_OBJECT_FETCHED, /* the loader is at it */
	TAPIR_OBJECT_DONE,    /* has its table, or will never have one */
};

struct tapir_object_key {
	u64 inode;
	u64 size;
	u64 written; /* ns since the epoch: a file that was written anew */
	u32 device, generation;
};

struct tapir_user_object {
	atomic_t state; /* enum tapir_object_state */
	struct tapir_object_key key;
	struct file *file; /* while WANTED or FETCHED; NULL: the vDSO */
	const struct tapir_unwind_table *table;
	struct tapir_object_interpreter *interpreter; /* NULL if the object is not an interpreter, or not known yet */
};
static struct tapir_user_object tapir_user_objects[TAPIR_OBJECTS];
static atomic_t tapir_objects_used;
static u64 tapir_tables_bytes; /* under the control lock */
static u32 tapir_tables;
static DEFINE_PER_CPU(u64, tapir_user_ends[TAPIR_UNWIND_ENDS]);

/* ---- any context ---- */

static struct tapir_object_key tapir_object_key(const struct inode *inode)
{
	if (!inode)
		return (struct tapir_object_key){0};
	return (struct tapir_object_key){
	    .inode = inode->i_ino,
	    .size = i_size_read(inode),
	    .written = tapir_inode_written(inode),
	    .device = inode->i_sb->s_dev,
	    .generation = inode->i_generation,
	};
}

static bool tapir_same_object(const struct tapir_object_key *a, const struct tapir_object_key *b)
{
	return a->inode == b->inode && a->device == b->device && a->generation == b->generation && a->size == b->size &&
	       a->written == b->written;
}

/* Claims a free slot. False: somebody else has it now. */
static bool tapir_object_claim(struct tapir_user_object *o, const struct tapir_object_key *key, struct file *file)
{
	if (atomic_cmpxchg(&o->state, TAPIR_OBJECT_FREE, TAPIR_OBJECT_CLAIMED) != TAPIR_OBJECT_FREE)
		return false;
	atomic_inc(&tapir_objects_used);
	o->key = *key;
	o->file = file ? get_file(file) : NULL;
	atomic_set_release(&o->state, TAPIR_OBJECT_WANTED);
	tapir_session_notify();
	return true;
}

/* The slot of a file and its inode (NULL: the vDSO), claimed if need be. NULL: no room, or just being claimed. */
static struct tapir_user_object *tapir_object_of(struct file *file, const struct inode *inode)
{
	struct tapir_object_key key = tapir_object_key(inode);
	u32 first = hash_64(key.inode ^ (u64)key.device << 40, TAPIR_OBJECT_BITS), i;

	for (i = 0; i < TAPIR_OBJECT_TRIES; i++) {
		struct tapir_user_object *o = &tapir_user_objects[(first + i) & (TAPIR_OBJECTS - 1)];
		int state = atomic_read_acquire(&o->state);

		if (state == TAPIR_OBJECT_FREE && tapir_object_claim(o, &key, file))
			return o;
		/* It may be this one: the next walk will know. */
		if (state <= TAPIR_OBJECT_CLAIMED)
			return NULL;
		if (tapir_same_object(&o->key, &key))
			return o;
	}
	return NULL;
}

const struct tapir_unwind_table *tapir_user_object_table(const struct vm_area_struct *vma, bool vdso, u32 *object)
{
	struct file *file = vdso ? NULL : vma->vm_file;
	const struct tapir_user_object *o = tapir_object_of(file, file ? file_inode(file) : NULL);

	*object = o ? o - tapir_user_objects : TAPIR_UNWIND_NO_NUMBER;
	return o ? smp_load_acquire(&o->table) : NULL;
}

const struct tapir_unwind_table *tapir_port_object_table(u32 object)
{
	return object < TAPIR_OBJECTS ? smp_load_acquire(&tapir_user_objects[object].table) : NULL;
}

bool tapir_port_object_awaited(u32 object)
{
	return object < TAPIR_OBJECTS && atomic_read_acquire(&tapir_user_objects[object].state) != TAPIR_OBJECT_DONE;
}

bool tapir_user_object_coming(u32 object)
{
	return tapir_port_object_awaited(object) || tapir_port_object_table(object);
}

struct tapir_object_interpreter *tapir_user_object_interpreter(u32 object)
{
	return object < TAPIR_OBJECTS ? smp_load_acquire(&tapir_user_objects[object].interpreter) : NULL;
}

void tapir_user_stack_count(u32 end)
{
	this_cpu_inc(tapir_user_ends[end < TAPIR_UNWIND_ENDS ? end : 0]);
}

/* Only the sum over all processors is meaningful. */
void tapir_user_stack_recount(u32 from, u32 to)
{
	this_cpu_dec(tapir_user_ends[from]);
	tapir_user_stack_count(to);
}

/* ---- the loader's side: process context, under the control lock ---- */

/*
 * Opens a mapped file for the caller, if the caller may read it. The right to run a program does not include that, and
 * dentry_open() does not ask. A mapping's own file may be one that programs must not get. Since Linux 6.5 that is the file of an
 * overlay, whose path is that of the file below. A file that may not answer is opened with O_PATH only.
 */
static int tapir_mapped_file_open(const struct file *mapped)
{
	bool readable = tapir_file_readable(mapped);
	struct file *file = dentry_open(&mapped->f_path, readable ? O_RDONLY | O_LARGEFILE : O_PATH, current_cred());
	int descriptor;

	if (IS_ERR(file))
		return PTR_ERR(file);
	descriptor = readable ? tapir_may_read(file) : 0;
	if (!descriptor)
		descriptor = get_unused_fd_flags(O_CLOEXEC);
	if (descriptor < 0)
		fput(file);
	else
		fd_install(descriptor, file);
	return descriptor;
}

/* Objects whose file cannot be opened get no table. */
static int tapir_do_want(struct tapir_ioc_unwind_want *want)
{
	struct tapir_user_object *o = tapir_user_objects;

	for (want->index = 0; want->index < TAPIR_OBJECTS; want->index++, o++) {
		bool has_file;

		if (atomic_read_acquire(&o->state) != TAPIR_OBJECT_WANTED)
			continue;
		has_file = o->file;
		want->file = has_file ? tapir_mapped_file_open(o->file) : -1;
		if (!has_file || want->file >= 0) {
			atomic_set(&o->state, TAPIR_OBJECT_FETCHED);
			return 0;
		}
		fput(o->file);
		o->file = NULL;
		atomic_set(&o->state, TAPIR_OBJECT_DONE);
	}
	return -ENODATA;
}

static int tapir_table_copy(struct tapir_user_object *o, const void __user *from, u64 bytes)
{
	const struct tapir_unwind_table *table;
	void *block;

	if (bytes > TAPIR_TABLE_BYTES || tapir_tables_bytes + bytes > TAPIR_TABLES_BYTES || !tapir_port_affordable(bytes))
		return -ENOMEM;
	block = __vmalloc(bytes, TAPIR_GFP_ASKED);
	if (!block)
		return -ENOMEM;
	table = block;
	if (copy_from_user(block, from, bytes)) {
		vfree(block);
		return -EFAULT;
	}
	if (!tapir_unwind_valid(block, bytes) || table->machine != TAPIR_THIS_UNWIND_MACHINE) {
		vfree(block);
		return -EINVAL;
	}
	tapir_tables_bytes += bytes;
	tapir_tables++;
	smp_store_release(&o->table, table);
	return 0;
}

static int tapir_do_put_interpreter(const struct tapir_ioc_put_interpreter *put)
{
	struct tapir_object_interpreter *interpreter;
	struct tapir_user_object *o;
	u32 number = put->interpreter.number;

	if (put->index >= TAPIR_OBJECTS || put->reserved || put->interpreter.reserved || !number ||
	    number > tapir_module.ninterpreters)
		return -EINVAL;
	o = &tapir_user_objects[put->index];
	if (atomic_read(&o->state) != TAPIR_OBJECT_FETCHED || o->interpreter)
		return -EINVAL;
	interpreter = kzalloc(sizeof(*interpreter), GFP_KERNEL);
	if (!interpreter)
		return -ENOMEM;
	interpreter->file = put->interpreter;
	smp_store_release(&o->interpreter, interpreter);
	return 0;
}

/*
 * A table that was made of a file is wrong if the file was written since the object was met. The file of an announced object is one
 * of the overlay, whose inode is not the key's.
 */
static bool tapir_object_is_as_met(const struct tapir_user_object *o)
{
	const struct inode *inode = o->file ? d_real_inode(o->file->f_path.dentry) : NULL;

	return !inode || (i_size_read(inode) == o->key.size && tapir_inode_written(inode) == o->key.written);
}

static int tapir_do_put(const struct tapir_ioc_unwind_put *put)
{
	struct tapir_user_object *o;
	int error = 0;

	if (put->index >= TAPIR_OBJECTS || put->reserved)
		return -EINVAL;
	o = &tapir_user_objects[put->index];
	if (atomic_read(&o->state) != TAPIR_OBJECT_FETCHED)
		return -EINVAL;
	if (put->length && tapir_object_is_as_met(o))
		error = tapir_table_copy(o, (const void __user *)(uintptr_t)put->block, put->length);
	if (o->file)
		fput(o->file);
	o->file = NULL;
	atomic_set_release(&o->state, TAPIR_OBJECT_DONE);
	return error;
}

static int tapir_do_unknown(struct tapir_ioc_unknown_interpreter *unknown)
{
	for (; unknown->index < TAPIR_OBJECTS; unknown->index++) {
		const struct tapir_object_interpreter *interpreter = tapir_user_object_interpreter(unknown->index);

		if (!interpreter || atomic_read_acquire(&interpreter->unknown) != TAPIR_INTERPRETER_TOLD)
			continue;
		unknown->number = interpreter->file.number;
		memcpy(unknown->what, interpreter->what, sizeof(unknown->what));
		return 0;
	}
	return -ENODATA;
}

static struct mm_struct *tapir_mm_of(s64 pid)
{
	struct task_struct *task;
	struct pid *found;
	struct mm_struct *mm;

	if (pid <= 0 || pid > INT_MAX)
		return NULL;
	found = find_get_pid(pid);
	task = found ? get_pid_task(found, PIDTYPE_TGID) : NULL;
	put_pid(found);
	if (!task)
		return NULL;
	mm = get_task_mm(task);
	put_task_struct(task);
	return mm;
}

static void tapir_want_one(const struct vm_area_struct *vma, bool vdso, unsigned long *objects)
{
	u32 object;

	tapir_user_object_table(vma, vdso, &object);
	if (objects && object < TAPIR_OBJECTS)
		__set_bit(object, objects);
}

/* Code of no file may be a copy of that of a file beside it. */
static void tapir_want_beside(struct mm_struct *mm, const struct vm_area_struct *vma, unsigned long *objects)
{
	const struct vm_area_struct *below = tapir_user_file_below(mm, vma), *above = tapir_user_file_above(mm, vma);

	if (below)
		tapir_want_one(below, false, objects);
	if (above)
		tapir_want_one(above, false, objects);
}

/*
 * Wants the tables of all code that a process has mapped. `objects`, unless it is NULL, gets a bit for each. -EBUSY: the mappings
 * are being changed all the time.
 */
static int tapir_want_all(struct mm_struct *mm, u32 ticks, unsigned long *objects)
{
	struct tapir_user_code code = {.mm = mm, .left = U32_MAX};

	if (!tapir_mmap_lock_within(mm, ticks))
		return -EBUSY;
	while (tapir_user_code_next(&code)) {
		bool vdso = tapir_user_is_vdso(mm, code.vma);

		if (tapir_user_has_file(code.vma) || vdso)
			tapir_want_one(code.vma, vdso, objects);
		else
			tapir_want_beside(mm, code.vma, objects);
	}
	tapir_mmap_unlock(mm);
	return 0;
}

/* The loader asks this of every process, and hits ask again. */
#define TAPIR_ANNOUNCED_WAIT 2u /* ticks */

static int tapir_do_process(const struct tapir_ioc_unwind_process *process)
{
	struct mm_struct *mm = tapir_mm_of(process->pid);
	int error;

	if (!mm)
		return -ESRCH;
	error = tapir_want_all(mm, TAPIR_ANNOUNCED_WAIT, NULL);
	mmput(mm);
	return error;
}

/* Is there a table of these objects that has not come? */
static bool tapir_tables_awaited(const unsigned long *objects)
{
	u32 i;

	for_each_set_bit(i, objects, TAPIR_OBJECTS)
		if (atomic_read_acquire(&tapir_user_objects[i].state) != TAPIR_OBJECT_DONE)
			return true;
	return false;
}

#define TAPIR_TABLES_PATIENCE (60ul * HZ)

static void tapir_user_objects_await(struct mm_struct *mm)
{
	unsigned long until = jiffies + TAPIR_TABLES_PATIENCE;
	DECLARE_BITMAP(objects, TAPIR_OBJECTS) = {};

	tapir_want_all(mm, HZ, objects);
	while (tapir_tables_awaited(objects) && time_before(jiffies, until) && !tapir_session_ending() &&
	       !tapir_session_handler_interrupted())
		schedule_timeout_idle(1);
}

static int tapir_do_file(const struct tapir_ioc_unwind_file *announced)
{
	struct file *file = announced->file >= 0 ? fget(announced->file) : NULL;

	if (!file)
		return -EBADF;
	if (S_ISREG(file_inode(file)->i_mode))
		/* Mappings of an overlay refer to the file below. */
		tapir_object_of(file, d_real_inode(file->f_path.dentry));
	fput(file);
	return 0;
}

static int tapir_do_count(struct tapir_ioc_unwind_count *count)
{
	u32 i;
	int cpu;

	BUILD_BUG_ON(TAPIR_UNWIND_ENDS > TAPIR_UNWIND_ENDS_MAX);
	memset(count, 0, sizeof(*count));
	for_each_possible_cpu(cpu)
		for (i = 0; i < TAPIR_UNWIND_ENDS; i++)
			count->ends[i] += per_cpu(tapir_user_ends[i], cpu);
	count->objects = atomic_read(&tapir_objects_used);
	count->tables = tapir_tables;
	count->bytes = tapir_tables_bytes;
	return 0;
}

static void tapir_user_objects_destroy(void)
{
	u32 i;

	for (i = 0; i < TAPIR_OBJECTS; i++) {
		struct tapir_user_object *o = &tapir_user_objects[i];

		if (o->file)
			fput(o->file);
		vfree(o->table);
		kfree(o->interpreter);
	}
}

/* ---- the watch: tables of files are wanted when these are mapped to be run, not only when a stack first needs them ---- */

/* Unless tables take much room already: most will never be asked for. */
static void tapir_user_object_expect(const struct vm_area_struct *vma)
{
	if (atomic_read(&tapir_objects_used) < TAPIR_OBJECTS / 2 && READ_ONCE(tapir_tables_bytes) < TAPIR_TABLES_BYTES / 2)
		tapir_object_of(vma->vm_file, file_inode(vma->vm_file));
}

/* perf_event_mmap(vma), by which perf learns of mappings. */
static int tapir_user_mapped(struct kprobe *kprobe, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const struct vm_area_struct *)tapir_register_argument(regs, 0);

	if (vma && (vma->vm_flags & VM_EXEC) && tapir_user_has_file(vma))
		tapir_user_object_expect(vma);
	return 0;
}
NOKPROBE_SYMBOL(tapir_user_mapped);

static struct kprobe tapir_user_mapping = {.symbol_name = "perf_event_mmap", .pre_handler = tapir_user_mapped};
static bool tapir_user_watching;

/* Session thread. A kernel where mappings cannot be watched only loses the time. */
static void tapir_user_watch_start(void)
{
	tapir_user_watching = !tapir_kprobe_register(&tapir_user_mapping);
}

static void tapir_user_watch_stop(void)
{
	if (tapir_user_watching)
		unregister_kprobe(&tapir_user_mapping);
	tapir_user_watching = false;
}

const struct tapir_user_object_ops tapir_user_object_ops = {
    .want = tapir_do_want,
    .put = tapir_do_put,
    .process = tapir_do_process,
    .file = tapir_do_file,
    .count = tapir_do_count,
    .put_interpreter = tapir_do_put_interpreter,
    .unknown = tapir_do_unknown,
    .start = tapir_user_watch_start,
    .stop = tapir_user_watch_stop,
    .await = tapir_user_objects_await,
    .destroy = tapir_user_objects_destroy,
};
