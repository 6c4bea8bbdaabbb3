// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/tapir-<module>/control: commands and records for the loader.
 *
 * Whoever opens it for reading is the reader, of which there is one. When the reader closes it without DETACH, however it dies, the
 * session stops. An opener for writing only may ask and command, but not take records. Both need CAP_SYS_MODULE.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <tapir/port.h>
#include <tapir/wire.h>
#include "hit.h"
#include "control.h"
#include "programs.h"
#include "relay.h"
#include "state.h"
#include "symbols.h"
#include "user_objects.h"

extern const bool tapir_user_lines __weak; /* tapir/ustack.h */

static DEFINE_MUTEX(tapir_control_lock); /* serialises everything that is not a hit or the session thread */
static struct proc_dir_entry *tapir_proc;
static char tapir_proc_name[TAPIR_NAME_MAX + 8];
static bool tapir_has_reader;
static bool tapir_detached;
static kuid_t tapir_owner;
static kgid_t tapir_owner_group;

/* ---- notification ---- */

static atomic_t tapir_attention; /* news since the last SNAPSHOT */
static struct irq_work tapir_wakeup;

static void tapir_wake(struct irq_work *work)
{
	wake_up_all(&tapir_session.state_changed);
}

void tapir_control_wake(void)
{
	irq_work_queue(&tapir_wakeup);
}

void tapir_control_notify(void)
{
	atomic_set(&tapir_attention, 1);
	tapir_control_wake();
}

void tapir_control_quiesce(void)
{
	irq_work_sync(&tapir_wakeup);
}

/* ---- commands: each gets a copy of its argument, and what it leaves there is copied back if the command says so ---- */

static int tapir_do_hello(struct tapir_ioc_hello *hello)
{
	hello->abi = TAPIR_ABI;
	hello->state = READ_ONCE(tapir_session.state);
	hello->cpus = nr_cpu_ids;
	hello->probes = tapir_module.nprobes;
	hello->globals = tapir_module.nglobals;
	hello->symbols = tapir_module.nsymbols;
	hello->objects = tapir_module.nobjects;
	hello->programs = tapir_module.nprograms;
	hello->limits = TAPIR_LIMITS;
	hello->flags = tapir_has_user_objects() ? TAPIR_HELLO_USER_STACKS : 0;
	if (&tapir_user_lines)
		hello->flags |= TAPIR_HELLO_USER_LINES;
	strscpy(hello->name, THIS_MODULE->name, sizeof(hello->name));
	return 0;
}

static int tapir_do_global(struct tapir_ioc_global *global)
{
	char *text;
	int error;

	if (strnlen(global->name, sizeof(global->name)) == sizeof(global->name) || global->length > TAPIR_RECORD_MAX ||
	    global->reserved)
		return -EINVAL;
	text = kmalloc(global->length + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	error = -EFAULT;
	if (!copy_from_user(text, (const void __user *)(uintptr_t)global->value, global->length)) {
		text[global->length] = 0;
		error = tapir_session_set_global(global->name, text);
	}
	kfree(text);
	return error;
}

static int tapir_do_symbol_get(struct tapir_ioc_symbol *symbol)
{
	if (symbol->index >= tapir_module.nsymbols)
		return -EINVAL;
	symbol->address = 0;
	memset(symbol->name, 0, sizeof(symbol->name));
	strscpy(symbol->name, tapir_module.symbols[symbol->index], sizeof(symbol->name));
	return 0;
}

static int tapir_do_symbol_set(struct tapir_ioc_symbol *symbol)
{
	if (READ_ONCE(tapir_session.state) != TAPIR_STATE_LOADED)
		return -EBUSY;
	return tapir_symbol_set(symbol->index, symbol->address);
}

static int tapir_do_object(struct tapir_ioc_object *object)
{
	u32 index = object->index;

	if (index >= tapir_module.nobjects)
		return -EINVAL;
	memset(object, 0, sizeof(*object));
	object->index = index;
	strscpy(object->module, tapir_module.objects[index].module, sizeof(object->module));
	strscpy(object->build_id, tapir_module.objects[index].build_id, sizeof(object->build_id));
	return 0;
}

static int tapir_do_program_set(const struct tapir_ioc_program *program)
{
	if (READ_ONCE(tapir_session.state) != TAPIR_STATE_LOADED)
		return -EBUSY;
	return tapir_program_set(program);
}

static int tapir_do_snapshot(struct tapir_ioc_snapshot *snapshot)
{
	atomic_set(&tapir_attention, 0);
	/* Before the snapshot: when this says DONE, everything is in it. */
	snapshot->state = READ_ONCE(tapir_session.state);
	smp_rmb();
	tapir_relay_snapshot(snapshot);
	return 0;
}

static int tapir_do_probe(struct tapir_ioc_probe *row)
{
	u32 index = row->index;

	if (index >= tapir_module.nprobes)
		return -EINVAL;
	memset(row, 0, sizeof(*row));
	row->index = index;
	tapir_ledger_sum(index, row);
	strscpy(row->point, tapir_module.probes[index].point, sizeof(row->point));
	strscpy(row->where, tapir_module.probes[index].where, sizeof(row->where));
	return 0;
}

static int tapir_do_status(struct tapir_ioc_status *status)
{
	struct tapir_ioc_probe *row = kmalloc(sizeof(*row), GFP_KERNEL);
	u32 i;

	if (!row)
		return -ENOMEM;
	status->state = READ_ONCE(tapir_session.state);
	status->exit_requested = atomic_read(&tapir_session.exit_requested) || atomic_read(&tapir_session.failed);
	status->errors = atomic64_read(&tapir_session.errors);
	status->fatal = atomic_read(&tapir_session.failed);
	status->warnings_lost = tapir_relay_control_dropped();
	status->skipped = atomic64_read(&tapir_session.skipped);
	for (i = 0; i < tapir_module.nprobes; i++) {
		memset(row, 0, sizeof(*row));
		tapir_ledger_sum(i, row);
		status->skipped += row->missed;
	}
	kfree(row);
	return 0;
}

static int tapir_do_lock(struct tapir_ioc_lock *lock)
{
	const struct tapir_global *g;

	if (lock->index >= tapir_module.nglobals)
		return -EINVAL;
	g = &tapir_module.globals[lock->index];
	lock->contended = g->lock ? tapir_port_lock_contended(g->lock) : 0;
	memset(lock->name, 0, sizeof(lock->name));
	strscpy(lock->name, g->name, sizeof(lock->name));
	return 0;
}

union tapir_command {
	struct tapir_ioc_hello hello;
	struct tapir_ioc_config config;
	struct tapir_ioc_global global;
	struct tapir_ioc_symbol symbol;
	struct tapir_ioc_snapshot snapshot;
	struct tapir_ioc_read read;
	struct tapir_ioc_probe probe;
	struct tapir_ioc_stream stream;
	struct tapir_ioc_status status;
	struct tapir_ioc_lock lock;
	struct tapir_ioc_object object;
	struct tapir_ioc_unwind_want unwind_want;
	struct tapir_ioc_unwind_put unwind_put;
	struct tapir_ioc_unwind_process unwind_process;
	struct tapir_ioc_unwind_file unwind_file;
	struct tapir_ioc_unwind_count unwind_count;
	struct tapir_ioc_program program;
};

/* Tables of user objects. */
static int tapir_unwind_command(unsigned int number, union tapir_command *c, bool reader)
{
	if (!tapir_has_user_objects())
		return -ENOTTY;
	switch (number) {
	case TAPIR_IOC_UNWIND_WANT:
		return reader ? tapir_user_object_ops.want(&c->unwind_want) : -EBADF;
	case TAPIR_IOC_UNWIND_PUT:
		return reader ? tapir_user_object_ops.put(&c->unwind_put) : -EBADF;
	case TAPIR_IOC_UNWIND_PROCESS:
		return tapir_user_object_ops.process(&c->unwind_process);
	case TAPIR_IOC_UNWIND_FILE:
		return tapir_user_object_ops.file(&c->unwind_file);
	case TAPIR_IOC_UNWIND_COUNT:
		return tapir_user_object_ops.count(&c->unwind_count);
	}
	return -ENOTTY;
}

static int tapir_command(unsigned int number, union tapir_command *c, bool reader)
{
	switch (number) {
	case TAPIR_IOC_HELLO:
		return tapir_do_hello(&c->hello);
	case TAPIR_IOC_CONFIG:
		return tapir_session_configure(&c->config);
	case TAPIR_IOC_GLOBAL:
		return tapir_do_global(&c->global);
	case TAPIR_IOC_SYMBOL_GET:
		return tapir_do_symbol_get(&c->symbol);
	case TAPIR_IOC_SYMBOL_SET:
		return tapir_do_symbol_set(&c->symbol);
	case TAPIR_IOC_START:
		return tapir_session_start();
	case TAPIR_IOC_STOP:
		tapir_session_stop();
		return 0;
	case TAPIR_IOC_INTERRUPT:
		tapir_session_interrupt();
		return 0;
	case TAPIR_IOC_SNAPSHOT:
		return reader ? tapir_do_snapshot(&c->snapshot) : -EBADF;
	case TAPIR_IOC_READ:
		return reader ? tapir_relay_read(&c->read) : -EBADF;
	case TAPIR_IOC_PROBE:
		return tapir_do_probe(&c->probe);
	case TAPIR_IOC_STREAM:
		return tapir_relay_count(&c->stream);
	case TAPIR_IOC_STATUS:
		return tapir_do_status(&c->status);
	case TAPIR_IOC_DETACH:
		tapir_detached = true;
		return 0;
	case TAPIR_IOC_LOCK:
		return tapir_do_lock(&c->lock);
	case TAPIR_IOC_OBJECT:
		return tapir_do_object(&c->object);
	case TAPIR_IOC_PROGRAM_GET:
		return tapir_program_get(&c->program);
	case TAPIR_IOC_PROGRAM_SET:
		return tapir_do_program_set(&c->program);
	}
	return tapir_unwind_command(number, c, reader);
}

static long tapir_control_ioctl(struct file *file, unsigned int number, unsigned long argument)
{
	void __user *user = (void __user *)argument;
	size_t size = _IOC_SIZE(number);
	union tapir_command *c;
	long error;

	if (_IOC_TYPE(number) != TAPIR_IOC_TYPE || size > sizeof(*c))
		return -ENOTTY;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	error = -EFAULT;
	if ((_IOC_DIR(number) & _IOC_WRITE) && copy_from_user(c, user, size))
		goto out;
	error = mutex_lock_interruptible(&tapir_control_lock);
	if (error)
		goto out;
	error = tapir_command(number, c, file->f_mode & FMODE_READ);
	mutex_unlock(&tapir_control_lock);
	if (!error && (_IOC_DIR(number) & _IOC_READ) && copy_to_user(user, c, size))
		error = -EFAULT;
out:
	kfree(c);
	return error;
}

/* ---- the file ---- */

static __poll_t tapir_control_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &tapir_session.state_changed, table);
	return atomic_read(&tapir_attention) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int tapir_control_open(struct inode *inode, struct file *file)
{
	int error = 0;

	/* Root's name is not enough: that of a container, which shares /proc, may have no rights on the machine. */
	if (!capable(CAP_SYS_MODULE))
		return -EPERM;
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	mutex_lock(&tapir_control_lock);
	if (file->f_mode & FMODE_READ) {
		if (tapir_has_reader) {
			error = -EBUSY;
		} else {
			tapir_has_reader = true;
			tapir_detached = false;
			tapir_relay_set_reader(true);
		}
	}
	mutex_unlock(&tapir_control_lock);
	if (error)
		module_put(THIS_MODULE);
	return error;
}

static int tapir_control_release(struct inode *inode, struct file *file)
{
	mutex_lock(&tapir_control_lock);
	if (file->f_mode & FMODE_READ) {
		tapir_has_reader = false;
		tapir_relay_set_reader(false);
		if (!tapir_detached)
			tapir_session_abandon();
	}
	mutex_unlock(&tapir_control_lock);
	module_put(THIS_MODULE);
	return 0;
}

static const struct proc_ops tapir_control_ops = {
    .proc_open = tapir_control_open,
    .proc_release = tapir_control_release,
    .proc_ioctl = tapir_control_ioctl,
    .proc_poll = tapir_control_poll,
    .proc_lseek = noop_llseek,
};

void tapir_control_give(struct proc_dir_entry *entry)
{
	proc_set_user(entry, tapir_owner, tapir_owner_group);
}

int tapir_control_create(void)
{
	tapir_owner = current_uid();
	tapir_owner_group = current_gid();
	init_irq_work(&tapir_wakeup, tapir_wake);
	snprintf(tapir_proc_name, sizeof(tapir_proc_name), "tapir-%s", THIS_MODULE->name);
	tapir_proc = proc_mkdir_mode(tapir_proc_name, 0500, NULL);
	if (!tapir_proc)
		return -ENOMEM;
	if (!proc_create("control", 0600, tapir_proc, &tapir_control_ops)) {
		proc_remove(tapir_proc);
		return -ENOMEM;
	}
	/* Tells the loader whose session it is. The file in it stays root's: its commands are trusted. */
	tapir_control_give(tapir_proc);
	return 0;
}

void tapir_control_destroy(void)
{
	proc_remove(tapir_proc);
}
