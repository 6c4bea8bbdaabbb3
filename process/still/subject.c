// SPDX-License-Identifier: GPL-2.0-or-later
/* tapir/port.h: identity, registers and memory of the process that is looked at. */
#include <errno.h>
#include <string.h>

#include "arch/c/core_machine.h"
#include "handler.h"
#include "process/still/still.h"

const struct tapir_core_process *tapir_still;

static const struct tapir_core_thread *thread;

/* The frame of the thread that handlers look at. */
static struct {
	struct tapir_unwind_frame frame;
	u64 known;		     /* a bit for each of its registers that has a value */
	u64 words[TAPIR_CORE_WORDS]; /* the registers as a hit has them; 0 if unknown */
	u32 number;
	const struct tapir_function_site *site;
} current;

void tapir_still_enter_frame(const struct tapir_unwind_frame *frame, u64 known, u32 number)
{
	u32 i;

	current.frame = *frame;
	current.known = known;
	current.number = number;
	memcpy(current.words, thread->words, sizeof(current.words));
	for (i = 0; i < TAPIR_SAVED_REGISTERS; i++)
		*(u64 *)((char *)current.words + tapir_saved_offsets[i]) = known >> i & 1 ? frame->regs[i] : 0;
	current.words[TAPIR_CORE_PLACE] = frame->pc;
}

/* For a process that is not stopped, the kernel shows only the place of its sleeping threads. */
static u64 known_of(const struct tapir_core_thread *t)
{
	if (t->has_all)
		return ~0ull;
	return t->has_place ? 1ull << TAPIR_CORE_STACK_NUMBER | 1ull << TAPIR_CORE_PLACE_NUMBER : 0;
}

void tapir_still_enter_thread(const struct tapir_core_thread *t)
{
	static struct tapir_unwind_frame frame;
	u32 i;

	thread = t;
	for (i = 0; i < TAPIR_SAVED_REGISTERS; i++)
		frame.regs[i] = *(const u64 *)((const char *)t->words + tapir_saved_offsets[i]);
	frame.pc = t->place;
	tapir_still_enter_frame(&frame, known_of(t), 0);
}

void tapir_still_enter_site(const struct tapir_function_site *site)
{
	current.site = site;
}

const struct tapir_unwind_frame *tapir_still_frame(void)
{
	return &current.frame;
}

u64 tapir_still_known(void)
{
	return current.known;
}

const struct tapir_core_thread *tapir_still_thread(void)
{
	return thread;
}

/* Every kind of probe gets the registers of the thread or its frame. */
void tapir_host_describe(struct tapir_ctx *c)
{
	c->regs = thread->has_all ? (void *)current.words : NULL;
	c->ip = current.frame.pc;
	c->place = current.site;
}

/* ---- memory ---- */

int tapir_port_read_user(void *dst, u64 address, u32 length)
{
	return tapir_core_read(dst, address, length) ? 0 : -EFAULT;
}

int tapir_port_read_user_string(char *dst, u64 address, u32 cap)
{
	int length = tapir_core_read_string(dst, address, cap);

	return length < 0 ? -EFAULT : length;
}

bool tapir_port_user_memory(u64 address, u64 *start, u64 *end)
{
	return tapir_core_memory(address, start, end);
}

int tapir_port_write_user(u64 address, const void *src, u32 length)
{
	(void)address;
	(void)src;
	(void)length;
	return -EFAULT;
}

/* A process's core file has no kernel memory. */
int tapir_port_read_kernel(void *dst, u64 address, u32 length)
{
	return tapir_core_read_kernel(dst, address, length) ? 0 : -EFAULT;
}

int tapir_port_read_kernel_string(char *dst, u64 address, u32 cap)
{
	int length = tapir_core_read_kernel_string(dst, address, cap);

	return length < 0 ? -EFAULT : length;
}

int tapir_port_write_kernel(u64 address, const void *src, u32 length)
{
	return tapir_port_write_user(address, src, length);
}

u32 tapir_port_program_bias(struct tapir_ctx *c, u32 program, u64 *bias)
{
	/* Mappings do not change while the script looks: a found one stays valid. */
	static struct {
		u8 asked, mapped;
		u64 bias;
	} known[64];
	const struct tapir_program *p = &tapir_module.programs[program];
	bool mapped;

	(void)c;
	if (program < 64 && known[program].asked) {
		*bias = known[program].bias;
		return known[program].mapped ? TAPIR_PROGRAM_MAPPED : TAPIR_PROGRAM_NOT_MAPPED;
	}
	mapped = tapir_core_bias(p->build_id, p->path, p->text_offset, p->text_bias, bias);
	if (program < 64) {
		known[program].asked = 1;
		known[program].mapped = mapped;
		known[program].bias = *bias;
	}
	return mapped ? TAPIR_PROGRAM_MAPPED : TAPIR_PROGRAM_NOT_MAPPED;
}

/* ---- identity ---- */

s64 tapir_port_pid(void)
{
	return tapir_still->pid;
}

void tapir_port_own_pid(u32 *own, u32 *space)
{
	*own = *space = 0;
}

s64 tapir_port_tid(void)
{
	return thread->id;
}

s64 tapir_port_ppid(void)
{
	return tapir_still->parent;
}

s64 tapir_port_pgrp(void)
{
	return tapir_still->group;
}

s64 tapir_port_sid(void)
{
	return tapir_still->session;
}

s64 tapir_port_uid(void)
{
	return tapir_still->uid;
}

s64 tapir_port_euid(void)
{
	return tapir_still->euid;
}

s64 tapir_port_gid(void)
{
	return tapir_still->gid;
}

s64 tapir_port_egid(void)
{
	return tapir_still->egid;
}

s64 tapir_port_target(void)
{
	return tapir_still->pid;
}

s64 tapir_port_crash(u32 what)
{
	switch (what) {
	case TAPIR_CRASH_SIGNAL:
		return tapir_still->signal;
	case TAPIR_CRASH_CODE:
		return tapir_still->signal_code;
	default:
		return (s64)tapir_still->signal_address;
	}
}

/* A core has no names of threads. */
void tapir_port_execname(char *dst, u32 cap)
{
	tapir_str_copy(dst, thread->name[0] ? thread->name : tapir_still->name, cap);
}

void tapir_port_pexecname(char *dst, u32 cap)
{
	tapir_str_copy(dst, "", cap);
}

/* ---- registers ---- */

bool tapir_port_user_mode(struct tapir_ctx *c)
{
	(void)c;
	return thread->has_place;
}

s64 tapir_port_frame(void)
{
	return current.number;
}

u64 tapir_port_user_address(void)
{
	return current.frame.pc;
}

u64 tapir_port_addr(struct tapir_ctx *c)
{
	return c->ip;
}

u32 tapir_port_registers(struct tapir_ctx *c)
{
	(void)c;
	return thread->has_all ? TAPIR_REGISTERS_ALL : TAPIR_REGISTERS_NONE;
}

static bool is_known(u32 number)
{
	return number < TAPIR_SAVED_REGISTERS && current.known >> number & 1;
}

static u64 saved(u32 number)
{
	return *(const u64 *)((const char *)current.words + tapir_saved_offsets[number]);
}

u64 tapir_port_register(struct tapir_ctx *c, const char *name, u32 *bytes)
{
	s32 number = tapir_core_register(name, bytes);

	(void)c;
	if (number >= 0 && is_known((u32)number))
		return *bytes == 8 ? saved((u32)number) : (u32)saved((u32)number);
	*bytes = 0;
	return 0;
}

bool tapir_port_user_register(struct tapir_ctx *c, u32 number, u64 *value)
{
	(void)c;
	if (number == TAPIR_CORE_THREAD_POINTER_NUMBER && thread->has_all)
		*value = thread->thread_pointer;
	else if (is_known(number))
		*value = saved(number);
	else
		return false;
	return true;
}

bool tapir_port_hit_register(struct tapir_ctx *c, u32 number, u64 *value)
{
	return tapir_port_user_register(c, number, value);
}

bool tapir_port_set_hit_register(struct tapir_ctx *c, u32 number, u64 value)
{
	(void)c;
	(void)number;
	(void)value;
	return false;
}

/* The function in which the thread stands. */
void tapir_port_probefunc(struct tapir_ctx *c, char *dst, u32 cap)
{
	tapir_usymbol_name(c, c->ip, dst, cap);
}
