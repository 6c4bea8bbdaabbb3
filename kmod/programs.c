// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that the loader has opened: see programs.h. */
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <tapir/abi.h>
#include "programs.h"

struct tapir_program_file {
	struct file *file;
	struct inode *inode; /* of a file in an overlay, that of the layer it is in: the one whose pages are mapped */
};
static struct tapir_program_file *tapir_program_files; /* tapir_module.nprograms, or NULL while none is set */

int tapir_program_get(struct tapir_ioc_program *program)
{
	u32 index = program->index;

	if (index >= tapir_module.nprograms)
		return -EINVAL;
	memset(program, 0, sizeof(*program));
	program->index = index;
	program->fd = -1;
	program->size = tapir_module.programs[index].size;
	strscpy(program->path, tapir_module.programs[index].path, sizeof(program->path));
	strscpy(program->build_id, tapir_module.programs[index].build_id, sizeof(program->build_id));
	return 0;
}

int tapir_program_set(const struct tapir_ioc_program *program)
{
	struct file *file;

	if (program->index >= tapir_module.nprograms)
		return -EINVAL;
	if (!tapir_program_files)
		tapir_program_files = kcalloc(tapir_module.nprograms, sizeof(*tapir_program_files), GFP_KERNEL);
	if (!tapir_program_files)
		return -ENOMEM;
	if (tapir_program_files[program->index].file)
		return -EBUSY;
	file = fget(program->fd);
	if (!file)
		return -EBADF;
	if (!S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		return -EINVAL;
	}
	tapir_program_files[program->index] = (struct tapir_program_file){file, d_real_inode(file->f_path.dentry)};
	return 0;
}

void tapir_programs_release(void)
{
	u32 i;

	if (!tapir_program_files)
		return;
	for (i = 0; i < tapir_module.nprograms; i++)
		if (tapir_program_files[i].file)
			fput(tapir_program_files[i].file);
	kfree(tapir_program_files);
	tapir_program_files = NULL;
}

struct inode *tapir_program_inode(u32 index)
{
	return tapir_program_files ? tapir_program_files[index].inode : NULL;
}

bool tapir_program_read(u32 index, loff_t offset, void *dst, size_t length)
{
	return tapir_program_files && tapir_program_files[index].file &&
	       kernel_read(tapir_program_files[index].file, dst, length, &offset) == (ssize_t)length;
}
