/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/relay.h>: channels without files. */
#ifndef TAPIR_COMPAT_RELAY_CHANNEL_H
#define TAPIR_COMPAT_RELAY_CHANNEL_H

#include <linux/dcache.h>
#include <linux/relay.h>

/*
 * In buffer-only mode relay asks for a file it never uses. From 4.11 to 6.9 it takes NULL for a failure, otherwise anything else
 * for a mistake: the first channel finds out.
 */
static struct dentry tapir_any_dentry, *tapir_no_file;
static unsigned int tapir_no_file_calls;
static bool tapir_one_for_all;

static inline struct dentry *tapir_create_no_file(const char *name, struct dentry *parent, umode_t mode, struct rchan_buf *buf,
						  int *is_global)
{
	tapir_no_file_calls++;
	*is_global = tapir_one_for_all;
	return tapir_no_file;
}

static inline int tapir_remove_no_file(struct dentry *dentry)
{
	return 0;
}

static struct rchan_callbacks tapir_relay_callbacks = {
    .create_buf_file = tapir_create_no_file,
    .remove_buf_file = tapir_remove_no_file,
};

/*
 * A channel of `count` sub-buffers of `size` bytes per CPU, or `common` to all of them: then that of CPU 0. NULL: no memory. One at
 * a time; may sleep.
 */
static inline struct rchan *tapir_relay_open(size_t size, size_t count, bool common)
{
	struct rchan *channel;

	tapir_one_for_all = common;
	tapir_no_file_calls = 0;
	channel = relay_open(NULL, NULL, size, count, &tapir_relay_callbacks, NULL);
	if (channel || tapir_no_file || tapir_no_file_calls != 1)
		return channel;
	/* Asked once and gave up: NULL was the wrong answer. */
	tapir_no_file = &tapir_any_dentry;
	return relay_open(NULL, NULL, size, count, &tapir_relay_callbacks, NULL);
}

#endif
