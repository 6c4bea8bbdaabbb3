// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * procfs: files below /proc/systemtap/MODULE. A read at the beginning of a file runs the handlers, and keeps their $value with the
 * open file for later reads. Every write is a hit with its bytes. Handlers run in process context, with preemption disabled like
 * all others.
 *
 * Modules that run at the same time share /proc/systemtap: the first makes it, and the last removes it.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <tapir/value.h>
#include "compat/procfs.h"
#include "hit.h"
#include "control.h"
#include "kind.h"
#include "report.h"
#include "state.h"

#define TAPIR_PROCFS_TOP   "systemtap"
#define TAPIR_PROCFS_UMASK 0066 /* unless a probe says otherwise */

struct tapir_procfs_file {
	const char *path;
	umode_t mode;
	u32 max_size;
};

struct tapir_procfs_probe {
	struct tapir_hook hook;
	const struct tapir_procfs_file *file;
	bool write;
};

/* As many of each as there are probes. */
static struct tapir_procfs_probe *tapir_procfs_probes;
static struct tapir_procfs_file *tapir_procfs_files;
static u32 tapir_nprocfs_probes, tapir_nprocfs_files;
static struct proc_dir_entry *tapir_procfs_dir;

/* ---- an open file ---- */

struct tapir_procfs_open {
	const struct tapir_procfs_file *file;
	struct mutex mutex;
	struct tapir_value value;
};

static int tapir_procfs_opened(struct inode *inode, struct file *file)
{
	const struct tapir_procfs_file *f = tapir_pde_data(inode);
	struct tapir_procfs_open *o = kvzalloc(sizeof(*o) + f->max_size, GFP_KERNEL_ACCOUNT);

	if (!o)
		return -ENOMEM;
	o->file = f;
	mutex_init(&o->mutex);
	o->value.bytes = (char *)(o + 1);
	o->value.cap = f->max_size;
	file->private_data = o;
	return 0;
}

static int tapir_procfs_release(struct inode *inode, struct file *file)
{
	kvfree(file->private_data);
	return 0;
}

/* -EAGAIN: no handlers run, yet or any more. -EINVAL: the file has none of this sort. */
static int tapir_procfs_hit(struct tapir_procfs_open *o, bool write)
{
	const u64 args[] = {(uintptr_t)&o->value};
	int result = -EINVAL;
	u32 i;

	if (READ_ONCE(tapir_session.mode) == TAPIR_MODE_OFF)
		return -EAGAIN;
	for (i = 0; i < tapir_nprocfs_probes; i++) {
		const struct tapir_procfs_probe *p = &tapir_procfs_probes[i];
		struct tapir_hit_data hit = {.args = args, .handler = p->hook.probe->handler};

		if (p->file != o->file || p->write != write)
			continue;
		preempt_disable();
		tapir_hit_at(&p->hook, &hit);
		preempt_enable();
		result = 0;
	}
	return result;
}

static ssize_t tapir_procfs_read(struct file *file, char __user *to, size_t count, loff_t *at)
{
	struct tapir_procfs_open *o = file->private_data;
	ssize_t done = 0;

	if (mutex_lock_interruptible(&o->mutex))
		return -ERESTARTSYS;
	if (*at == 0) {
		o->value.length = 0;
		o->value.bytes[0] = 0;
		done = tapir_procfs_hit(o, false);
	}
	if (!done)
		done = simple_read_from_buffer(to, count, at, o->value.bytes, o->value.length);
	mutex_unlock(&o->mutex);
	return done;
}

static ssize_t tapir_procfs_write(struct file *file, const char __user *from, size_t count, loff_t *at)
{
	struct tapir_procfs_open *o = file->private_data;
	ssize_t done;

	count = min_t(size_t, count, o->value.cap - 1);
	if (mutex_lock_interruptible(&o->mutex))
		return -ERESTARTSYS;
	o->value.length = 0;
	done = -EFAULT;
	if (!copy_from_user(o->value.bytes, from, count)) {
		o->value.bytes[count] = 0;
		o->value.length = count;
		done = tapir_procfs_hit(o, true);
	}
	mutex_unlock(&o->mutex);
	if (done)
		return done;
	*at += count;
	return count;
}

static const struct proc_ops tapir_procfs_ops = {
    .proc_open = tapir_procfs_opened,
    .proc_read = tapir_procfs_read,
    .proc_write = tapir_procfs_write,
    .proc_lseek = default_llseek,
    .proc_release = tapir_procfs_release,
};

/* ---- the directories ---- */

/*
 * Serialises the modules that share /proc/systemtap, which share nothing else: a lock of the file system that procfs itself never
 * takes, because nothing can be renamed there. NULL: /proc is not mounted where this thread can see it.
 */
static struct mutex *tapir_procfs_lock(struct path *proc)
{
	struct mutex *lock;

	if (kern_path("/proc", LOOKUP_FOLLOW | LOOKUP_DIRECTORY, proc))
		return NULL;
	lock = &proc->dentry->d_sb->s_vfs_rename_mutex;
	mutex_lock(lock);
	return lock;
}

static void tapir_procfs_unlock(struct mutex *lock, struct path *proc)
{
	if (!lock)
		return;
	mutex_unlock(lock);
	path_put(proc);
}

/* How many directories are in /proc/systemtap; -1: it is not there. */
static int tapir_procfs_top(void)
{
	struct kstat stat;
	struct path top;
	int error;

	if (kern_path("/proc/" TAPIR_PROCFS_TOP, 0, &top))
		return -1;
	error = vfs_getattr(&top, &stat, STATX_NLINK, AT_STATX_SYNC_AS_STAT);
	path_put(&top);
	return error ? 1 : (int)stat.nlink - 2;
}

static bool tapir_procfs_make_dir(void)
{
	char name[sizeof(TAPIR_PROCFS_TOP) + MODULE_NAME_LEN + 1];
	struct path proc;
	struct mutex *lock = tapir_procfs_lock(&proc);

	snprintf(name, sizeof(name), TAPIR_PROCFS_TOP "/%s", THIS_MODULE->name);
	if (tapir_procfs_top() >= 0 || proc_mkdir(TAPIR_PROCFS_TOP, NULL))
		tapir_procfs_dir = proc_mkdir(name, NULL);
	tapir_procfs_unlock(lock, &proc);
	return tapir_procfs_dir;
}

/* Waits for handlers of files that are in use, and closes these. */
static void tapir_procfs_remove_dir(void)
{
	struct path proc;
	struct mutex *lock;

	if (!tapir_procfs_dir)
		return;
	proc_remove(tapir_procfs_dir);
	tapir_procfs_dir = NULL;
	lock = tapir_procfs_lock(&proc);
	if (tapir_procfs_top() == 0)
		remove_proc_entry(TAPIR_PROCFS_TOP, NULL);
	tapir_procfs_unlock(lock, &proc);
}

/* Is the directory of the first `length` bytes of this path one that a file before this one has made? */
static bool tapir_procfs_has_directory(const struct tapir_procfs_file *file, u32 length)
{
	const struct tapir_procfs_file *other;

	for (other = tapir_procfs_files; other < file; other++)
		if (!strncmp(other->path, file->path, length + 1))
			return true;
	return false;
}

/* Is another file where this one needs a directory? */
static bool tapir_procfs_in_file(const struct tapir_procfs_file *file)
{
	u32 i;

	for (i = 0; i < tapir_nprocfs_files; i++) {
		size_t length = strlen(tapir_procfs_files[i].path);

		if (!strncmp(tapir_procfs_files[i].path, file->path, length) && file->path[length] == '/')
			return true;
	}
	return false;
}

/* One file, and the directories above it. */
static bool tapir_procfs_make_file(const struct tapir_procfs_file *file)
{
	struct proc_dir_entry *made_file;
	const char *slash;

	if (tapir_procfs_in_file(file))
		return false;

	for (slash = strchr(file->path, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *directory;
		bool made;

		if (tapir_procfs_has_directory(file, slash - file->path))
			continue;
		directory = kstrndup(file->path, slash - file->path, GFP_KERNEL);
		made = directory && proc_mkdir(directory, tapir_procfs_dir);
		kfree(directory);
		if (!made)
			return false;
	}
	made_file = proc_create_data(file->path, file->mode, tapir_procfs_dir, &tapir_procfs_ops, (void *)file);
	if (made_file)
		tapir_control_give(made_file);
	return made_file;
}

/* ---- arming ---- */

static void tapir_procfs_disarm(void)
{
	tapir_procfs_remove_dir();
	kfree(tapir_procfs_probes);
	kfree(tapir_procfs_files);
	tapir_procfs_probes = NULL;
	tapir_procfs_files = NULL;
	tapir_nprocfs_probes = tapir_nprocfs_files = 0;
}

static void tapir_procfs_add(u32 probe)
{
	struct tapir_procfs_probe *p = &tapir_procfs_probes[tapir_nprocfs_probes++];
	const struct tapir_procfs_arg *arg = tapir_module.probes[probe].arg;
	struct tapir_procfs_file *file = tapir_procfs_files;

	while (file < tapir_procfs_files + tapir_nprocfs_files && strcmp(file->path, arg->path))
		file++;
	if (file == tapir_procfs_files + tapir_nprocfs_files) {
		file->path = arg->path;
		tapir_nprocfs_files++;
	}
	file->mode |= (arg->write ? 0222 : 0444) & ~(arg->has_umask ? arg->umask : TAPIR_PROCFS_UMASK);
	file->max_size = max(file->max_size, arg->max_size);
	p->hook = tapir_hook_of(probe);
	p->file = file;
	p->write = arg->write;
	tapir_ledger_add_attached(probe, 1);
}

static int tapir_procfs_arm(void)
{
	u32 i, count = tapir_kind_probes(&tapir_kind_procfs);

	tapir_procfs_probes = kcalloc(count, sizeof(*tapir_procfs_probes), GFP_KERNEL);
	tapir_procfs_files = kcalloc(count, sizeof(*tapir_procfs_files), GFP_KERNEL);
	if (!tapir_procfs_probes || !tapir_procfs_files) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryProcfs), count);
		tapir_procfs_disarm();
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].kind == &tapir_kind_procfs)
			tapir_procfs_add(i);
	if (!tapir_procfs_make_dir()) {
		tapir_session_fail(TAPIR_TEXT(ProcfsDirectory), THIS_MODULE->name);
		tapir_procfs_disarm();
		return -ENOMEM;
	}
	for (i = 0; i < tapir_nprocfs_files; i++) {
		if (tapir_procfs_make_file(&tapir_procfs_files[i]))
			continue;
		tapir_session_fail(TAPIR_TEXT(ProcfsFile), THIS_MODULE->name, tapir_procfs_files[i].path);
		tapir_procfs_disarm();
		return -ENOMEM;
	}
	return 0;
}

const struct tapir_kind_ops tapir_kind_procfs = {
    TAPIR_KIND_LISTED(procfs), TAPIR_KIND_WAY(File), .arm = tapir_procfs_arm, .disarm = tapir_procfs_disarm, .any_task = true,
};
