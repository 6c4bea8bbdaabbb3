// SPDX-License-Identifier: GPL-2.0-or-later
/* The commands of the control file, but for those that are about the file itself (control.c). */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <runtime/handler.h>
#include <tapir/port.h>
#include "budget_pages.h"
#include "cgroups.h"
#include "commands.h"
#include "ledger.h"
#include "port_unfinished.h"
#include "programs.h"
#include "relay.h"
#include "session.h"
#include "stack_store.h"
#include "state.h"
#include "symbols.h"
#include "user_objects.h"

extern const bool tapir_user_lines __weak; /* tapir/ustack.h */

static bool tapir_keeps_calls(void)
{
	u32 i;

	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_probe *probe = &tapir_module.probes[i];

		if (probe->entry && probe->kind->user && probe->kind->returns)
			return true;
	}
	return false;
}

static bool tapir_has_snapshots(void)
{
	u32 i;

	for (i = 0; i < tapir_module.nprobes; i++)
		if (tapir_module.probes[i].kind->once)
			return true;
	return false;
}

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
	hello->formats = tapir_module.nformats;
	hello->interpreters = tapir_module.ninterpreters;
	hello->limits = TAPIR_LIMITS;
	hello->flags = tapir_has_user_objects() ? TAPIR_HELLO_USER_STACKS : 0;
	if (&tapir_user_lines)
		hello->flags |= TAPIR_HELLO_USER_LINES;
	if (tapir_has_stacks())
		hello->flags |= TAPIR_HELLO_STACKS;
	if (tapir_keeps_calls())
		hello->flags |= TAPIR_HELLO_CALLS;
	if (tapir_has_snapshots())
		hello->flags |= TAPIR_HELLO_SNAPSHOTS;
	if (tapir_module.switches)
		hello->flags |= TAPIR_HELLO_SWITCHES;
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

static int tapir_do_format(struct tapir_ioc_format *format)
{
	const struct tapir_item_format *f;
	u32 room = format->length;
	char *text;
	int error;

	if (format->index >= tapir_module.nformats)
		return -EINVAL;
	f = &tapir_module.formats[format->index];
	format->length = tapir_format_bytes(f);
	if (room < format->length)
		return 0;
	text = kvmalloc(format->length, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	tapir_format_describe(f, text);
	error = copy_to_user((void __user *)(uintptr_t)format->buffer, text, format->length) ? -EFAULT : 0;
	kvfree(text);
	return error;
}

static int tapir_do_program_set(const struct tapir_ioc_program *program)
{
	if (READ_ONCE(tapir_session.state) != TAPIR_STATE_LOADED)
		return -EBUSY;
	return tapir_program_set(program);
}

static int tapir_do_budget(const struct tapir_ioc_budget *budget)
{
	if (tapir_session.state != TAPIR_STATE_LOADED)
		return -EBUSY;
	return tapir_budget_pages_take(budget->address, budget->bytes);
}

static int tapir_do_cgroup(const struct tapir_ioc_cgroup *cgroup)
{
	if (READ_ONCE(tapir_session.state) != TAPIR_STATE_LOADED)
		return -EBUSY;
	return cgroup->reserved ? -EINVAL : tapir_cgroup_set(cgroup->fd);
}

static int tapir_do_snapshot(struct tapir_ioc_snapshot *snapshot)
{
	if (snapshot->flags & ~TAPIR_SNAPSHOT_WAITS)
		return -EINVAL;
	tapir_session_news_seen();
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
	if (tapir_module.switches && !READ_ONCE(tapir_module.switches[index]))
		row->flags |= TAPIR_PROBE_OFF;
	if (tapir_module.probes[index].synthetic)
		row->flags |= TAPIR_PROBE_SYNTHETIC;
	return 0;
}

/* Handlers see it at once. The session thread arms and disarms, as with all conditions. */
static int tapir_do_switch(const struct tapir_ioc_switch *wish)
{
	u32 state = READ_ONCE(tapir_session.state);

	if (!tapir_module.switches)
		return -EOPNOTSUPP;
	if (wish->index >= tapir_module.nprobes || tapir_module.probes[wish->index].synthetic || wish->on > 1)
		return -EINVAL;
	if (state != TAPIR_STATE_STARTING && state != TAPIR_STATE_RUNNING)
		return -EBUSY;
	WRITE_ONCE(tapir_module.switches[wish->index], wish->on);
	tapir_port_condition_changed();
	return 0;
}

static int tapir_do_status(struct tapir_ioc_status *status)
{
	status->state = READ_ONCE(tapir_session.state);
	status->exit_requested = atomic_read(&tapir_session.exit_requested) || atomic_read(&tapir_session.failed);
	status->errors = atomic64_read(&tapir_session.errors);
	status->fatal = atomic_read(&tapir_session.failed);
	status->warnings_lost = tapir_relay_control_dropped();
	status->skipped = atomic64_read(&tapir_session.skipped);
	status->array_bytes = tapir_arrays_bytes();
	return 0;
}

static int tapir_do_calls(struct tapir_ioc_calls *calls)
{
	memset(calls, 0, sizeof(*calls));
	tapir_ledger_sum_calls(calls);
	return 0;
}

static int tapir_do_cut(struct tapir_ioc_cut *cut)
{
	memset(cut, 0, sizeof(*cut));
	tapir_ledger_sum_cuts(cut);
	return 0;
}

static int tapir_do_lock(struct tapir_ioc_lock *lock)
{
	u32 index = lock->index;
	const struct tapir_global *g;

	if (index >= tapir_module.nglobals)
		return -EINVAL;
	g = &tapir_module.globals[index];
	memset(lock, 0, sizeof(*lock));
	lock->index = index;
	lock->kind = g->kind;
	lock->monitored = g->monitored;
	lock->value_type = g->kind == TAPIR_GLOBAL_STRING ? TAPIR_STRING : g->kind == TAPIR_GLOBAL_STAT ? TAPIR_STAT : TAPIR_LONG;
	if (g->map) {
		lock->value_type = g->map->value_type;
		lock->keys = g->map->nkeys;
		if (READ_ONCE(tapir_session.state) >= TAPIR_STATE_RUNNING)
			tapir_array_room(index, &lock->elements, &lock->most);
	}
	lock->contended = g->lock ? tapir_port_lock_contended(g->lock) : 0;
	strscpy(lock->name, g->name, sizeof(lock->name));
	return 0;
}

static void tapir_unfinished_look(void)
{
	if (tapir_has_unfinished())
		tapir_unfinished_ops.finish();
}

static int tapir_do_interpreter(struct tapir_ioc_interpreter *told)
{
	const struct tapir_interpreter *interpreter;
	u32 index = told->index, i;

	if (index >= tapir_module.ninterpreters)
		return -EINVAL;
	interpreter = &tapir_module.interpreters[index];
	memset(told, 0, sizeof(*told));
	told->index = index;
	strscpy(told->name, interpreter->name, sizeof(told->name));
	strscpy(told->known, interpreter->known, sizeof(told->known));
	strscpy(told->files, interpreter->files, sizeof(told->files));
	strscpy(told->loop, interpreter->loop, sizeof(told->loop));
	for (i = 0; i < TAPIR_INTERPRETER_VARIABLES && interpreter->variables[i]; i++)
		strscpy(told->variables[i], interpreter->variables[i], sizeof(told->variables[i]));
	return 0;
}

/* Tables of user objects. */
static int tapir_unwind_command(unsigned int number, union tapir_command *c, bool reader)
{
	int error;

	if (!tapir_has_user_objects())
		return -ENOTTY;
	switch (number) {
	case TAPIR_IOC_UNWIND_WANT:
		/* Walks may have been kept after their tables came. */
		if (reader)
			tapir_unfinished_look();
		return reader ? tapir_user_object_ops.want(&c->unwind_want) : -EBADF;
	case TAPIR_IOC_UNWIND_PUT:
		error = reader ? tapir_user_object_ops.put(&c->unwind_put) : -EBADF;
		tapir_unfinished_look();
		return error;
	case TAPIR_IOC_UNWIND_PROCESS:
		return tapir_user_object_ops.process(&c->unwind_process);
	case TAPIR_IOC_UNWIND_FILE:
		return tapir_user_object_ops.file(&c->unwind_file);
	case TAPIR_IOC_FRAMES:
		return reader && tapir_has_unfinished() ? tapir_unfinished_ops.lines(&c->frames) : -EBADF;
	case TAPIR_IOC_UNWIND_COUNT:
		error = tapir_user_object_ops.count(&c->unwind_count);
		if (tapir_has_unfinished())
			tapir_unfinished_ops.count(&c->unwind_count.finished, &c->unwind_count.refused);
		return error;
	case TAPIR_IOC_PUT_INTERPRETER:
		return reader ? tapir_user_object_ops.put_interpreter(&c->put_interpreter) : -EBADF;
	case TAPIR_IOC_UNKNOWN:
		return tapir_user_object_ops.unknown(&c->unknown);
	}
	return -ENOTTY;
}

/* Stacks as values. */
static int tapir_stacks_command(unsigned int number, union tapir_command *c, bool reader)
{
	if (!tapir_has_stacks())
		return -ENOTTY;
	switch (number) {
	case TAPIR_IOC_STACKS:
		return tapir_stacks_ops.count(&c->stacks);
	case TAPIR_IOC_BULK:
		return reader ? tapir_stacks_ops.read(&c->bulk) : -EBADF;
	case TAPIR_IOC_PROFILE:
		return tapir_stacks_ops.profile(&c->profile);
	}
	return -ENOTTY;
}

int tapir_command(unsigned int number, union tapir_command *c, bool reader)
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
	case TAPIR_IOC_SWITCH:
		return tapir_do_switch(&c->switch_);
	case TAPIR_IOC_STREAM:
		return tapir_relay_count(&c->stream);
	case TAPIR_IOC_CALLS:
		return tapir_do_calls(&c->calls);
	case TAPIR_IOC_CUT:
		return tapir_do_cut(&c->cut);
	case TAPIR_IOC_STACKS:
	case TAPIR_IOC_BULK:
	case TAPIR_IOC_PROFILE:
		return tapir_stacks_command(number, c, reader);
	case TAPIR_IOC_STATUS:
		return tapir_do_status(&c->status);
	case TAPIR_IOC_LOCK:
		return tapir_do_lock(&c->lock);
	case TAPIR_IOC_OBJECT:
		return tapir_do_object(&c->object);
	case TAPIR_IOC_INTERPRETER:
		return tapir_do_interpreter(&c->interpreter);
	case TAPIR_IOC_FORMAT:
		return tapir_do_format(&c->format);
	case TAPIR_IOC_PROGRAM_GET:
		return tapir_program_get(&c->program);
	case TAPIR_IOC_PROGRAM_SET:
		return tapir_do_program_set(&c->program);
	case TAPIR_IOC_CGROUP:
		return tapir_do_cgroup(&c->cgroup);
	case TAPIR_IOC_BUDGET:
		return tapir_do_budget(&c->budget);
	}
	return tapir_unwind_command(number, c, reader);
}
