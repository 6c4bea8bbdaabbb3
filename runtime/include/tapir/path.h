/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of files, from the kernel's structures. Any handler context; without the kernel's locks, every read fault-safe. */
#ifndef TAPIR_PATH_H
#define TAPIR_PATH_H

#include <tapir/types.h>

struct tapir_ctx;

#define TAPIR_PATH_STEPS 256 /* components and mounts that are followed */

/* Where things are in the kernel's structures, in bytes. */
struct tapir_path_layout {
	u32 parent, name, name_length;		   /* struct dentry; the name's address and its length of 32 bits */
	u32 mount_root;				   /* struct vfsmount */
	u32 mount, mount_parent, mount_mountpoint; /* struct mount; the first is its struct vfsmount */
};

/* A place: a struct dentry and the struct vfsmount it was reached through. */
struct tapir_path {
	u64 dentry, mount;
};

/*
 * Formats the path of `from`, up to `root` or the root of all mounts; "" if it is the root itself. Without a mount, up to the root
 * of its file system. "<unknown>" if it is not below its mount. A path longer than TAPIR_PATH_STEPS or the context's scratch memory
 * begins with "..."; one longer than cap - 1 bytes is cut at its end. Raises a fault as an error.
 */
void tapir_path_text(struct tapir_ctx *c, const struct tapir_path_layout *layout, struct tapir_path from, struct tapir_path root,
		     char *dst, u32 cap);

/* Where things are in a struct kernfs_node, in bytes: the addresses of its parent, 0 for the root, and of its name. */
struct tapir_node_layout {
	u32 parent, name;
};

/* The path of a struct kernfs_node up to the root of its tree, "/" for the root itself. Bounded, cut and failing as above. */
void tapir_node_path_text(struct tapir_ctx *c, const struct tapir_node_layout *layout, u64 node, char *dst, u32 cap);

#endif
