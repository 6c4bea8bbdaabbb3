// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A mutex and a semaphore of the kernel that programs take by writing a letter to /proc/tapir_locks:
 *	M, R, W		takes the mutex, the semaphore to read, to write; holds it until some thread waits for it and
 *has slept, drops it m, r, w		takes it and drops it
 *	h, H, k		takes the mutex, the semaphore to write, to read, and drops it when another thread writes `d`
 * Reading the file gives the addresses of both.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/proc_fs.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

static DEFINE_MUTEX(the_mutex);
static DECLARE_RWSEM(the_semaphore);
static atomic_t waiters;
static bool held;
static bool dropped;
static DECLARE_WAIT_QUEUE_HEAD(keepers);

/* Until the thread that waits sleeps. */
static void wait_for_waiter(void) {
    u32 slept = 0;

    WRITE_ONCE(held, true);
    while (!atomic_read(&waiters) && !signal_pending(current))
        usleep_range(50, 100);
    while (atomic_read(&waiters) && slept++ < 10)
        usleep_range(50, 100);
    WRITE_ONCE(held, false);
}

static void keep(void) {
    WRITE_ONCE(dropped, false);
    wait_event_interruptible(keepers, READ_ONCE(dropped));
}

/* Until the lock is held. It gives its processor up, but waits for nothing. */
static void wait_for_holder(void) {
    while (!READ_ONCE(held) && !signal_pending(current))
        yield();
    atomic_inc(&waiters);
}

static ssize_t locks_write(struct file *file, const char __user *text, size_t length, loff_t *at) {
    char letter;

    if (get_user(letter, text)) return -EFAULT;
    switch (letter) {
        case 'M':
            mutex_lock(&the_mutex);
            wait_for_waiter();
            mutex_unlock(&the_mutex);
            break;
        case 'R':
            down_read(&the_semaphore);
            wait_for_waiter();
            up_read(&the_semaphore);
            break;
        case 'W':
            down_write(&the_semaphore);
            wait_for_waiter();
            up_write(&the_semaphore);
            break;
        case 'm':
            wait_for_holder();
            mutex_lock(&the_mutex);
            mutex_unlock(&the_mutex);
            atomic_dec(&waiters);
            break;
        case 'r':
            wait_for_holder();
            down_read(&the_semaphore);
            up_read(&the_semaphore);
            atomic_dec(&waiters);
            break;
        case 'w':
            wait_for_holder();
            down_write(&the_semaphore);
            up_write(&the_semaphore);
            atomic_dec(&waiters);
            break;
        case 'h':
            mutex_lock(&the_mutex);
            keep();
            mutex_unlock(&the_mutex);
            break;
        case 'H':
            down_write(&the_semaphore);
            keep();
            up_write(&the_semaphore);
            break;
        case 'k':
            down_read(&the_semaphore);
            keep();
            up_read(&the_semaphore);
            break;
        case 'd':
            WRITE_ONCE(dropped, true);
            wake_up_all(&keepers);
            break;
        default:
            return -EINVAL;
    }
    return length;
}

static int locks_show(struct seq_file *file, void *unused) {
    seq_printf(file, "0x%lx 0x%lx\n", (unsigned long)&the_mutex, (unsigned long)&the_semaphore);
    return 0;
}

static int locks_open(struct inode *inode, struct file *file) {
    return single_open(file, locks_show, NULL);
}

static const struct proc_ops operations = {
    .proc_open = locks_open,
    .proc_read = seq_read,
    .proc_write = locks_write,
    .proc_release = single_release,
};

static int __init locks_init(void) {
    return proc_create("tapir_locks", 0600, NULL, &operations) ? 0 : -ENOMEM;
}

static void __exit locks_exit(void) {
    remove_proc_entry("tapir_locks", NULL);
}

module_init(locks_init);
module_exit(locks_exit);
MODULE_LICENSE("GPL");
