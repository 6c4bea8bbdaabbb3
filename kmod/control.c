// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/tapir-<module>/control: commands and records for the loader.
 *
 * The process that opens it for reading is the reader; there can be only one. If the reader closes it without DETACH, or dies, the
 * session stops. A process that opens it for writing only may ask and command, but not take records. Both need CAP_SYS_MODULE.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/proc_fs.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <tapir/wire.h>
#include "commands.h"
#include "control.h"
#include "relay.h"
#include "session.h"
#include "state.h"

static DEFINE_MUTEX(tapir_control_lock); /* serialises everything that is not a hit or the session thread */
static struct proc_dir_entry *tapir_proc;
static char tapir_proc_name[TAPIR_NAME_MAX + 8];
static bool tapir_has_reader;
static bool tapir_detached;
static kuid_t tapir_owner;
static kgid_t tapir_owner_group;

static int tapir_control_command(unsigned int number, union tapir_command *c, bool reader)
{
	if (number != TAPIR_IOC_DETACH)
		return tapir_command(number, c, reader);
	tapir_detached = true;
	return 0;
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
	error = tapir_control_command(number, c, file->f_mode & FMODE_READ);
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
	return tapir_session_has_news() ? EPOLLIN | EPOLLRDNORM : 0;
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
		tapir_relay_reader_gone();
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
