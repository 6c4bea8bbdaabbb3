// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors for memory, registers and variables of programs that cannot be read. The reads themselves are inline: tapir/deref.h. */
#include <tapir/deref.h>

u64 tapir_fault(struct tapir_ctx *c, const struct tapir_site *site, const char *what, u64 address)
{
	tapir_errorf(c, site, "%s fault [man error::fault] at 0x%llx", what, (unsigned long long)address);
	return 0;
}

u64 tapir_user_fault(struct tapir_ctx *c, const struct tapir_site *site, const char *what, u64 address)
{
	tapir_errorf(c, site, "%s fault [man error::fault] at 0x%llx in the process: nothing is there, or it is not in memory now",
		     what, (unsigned long long)address);
	return 0;
}

u64 tapir_register_fault(struct tapir_ctx *c, const struct tapir_site *site, u32 number)
{
	tapir_errorf(c, site, "register access fault [man error::fault]: register %u is not known here", number);
	return 0;
}

s64 tapir_register_other(struct tapir_ctx *c, u32 number, const struct tapir_site *site)
{
	u64 value;

	return tapir_port_hit_register(c, number, &value) ? value : tapir_register_fault(c, site, number);
}

u64 tapir_program_fault(struct tapir_ctx *c, const struct tapir_site *site, u32 program, u32 found)
{
	static const char *const reasons[] = {
	    [TAPIR_PROGRAM_NOT_MAPPED] = "this process does not map it",
	    [TAPIR_PROGRAM_NO_PROCESS] = "a kernel thread has no variables of programs",
	    [TAPIR_PROGRAM_NO_FILE] = "there was no such file when the script started",
	    [TAPIR_PROGRAM_NOT_FOUND] = "this process has more mappings than are searched for it",
	    [TAPIR_PROGRAM_BUSY] = "the mappings of this process are being changed right now",
	};

	tapir_errorf(c, site, "no address in '%s' [man error::fault]: %s", tapir_module.programs[program].path, reasons[found]);
	return 0;
}
