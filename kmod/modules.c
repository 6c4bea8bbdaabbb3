// SPDX-License-Identifier: GPL-2.0-or-later
/* Modules of the kernel that are followed: see modules.h. */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/wait.h>
#include "compat/hex.h"
#include "compat/module.h"
#include "modules.h"
#include "symbols.h"
#include "report.h"

struct tapir_followed {
	const char *name; /* not terminated: the beginning of a symbol */
	u32 length;
	u32 first, count;		   /* its symbols, in tapir_by_name */
	const struct tapir_object *object; /* the required build, or NULL */
	const struct module *module;	   /* NULL: not loaded, or another build */
	const struct module *other_build;  /* and has been warned of */
	bool came;			   /* at some time, as any build */
	bool needed;
	bool leaving; /* counted in tapir_nleaving */
};
static struct tapir_followed *tapir_followed;
static u32 tapir_nfollowed;
/* Indices of the symbols of modules, sorted by name: those of one module are neighbours. */
static u32 *tapir_by_name;
static void (*tapir_tell)(u32 module, enum tapir_module_event event);
static DEFINE_MUTEX(tapir_modules_mutex);
/* Modules whose probed code the kernel is about to take; under the mutex. */
static u32 tapir_nleaving;
static DECLARE_WAIT_QUEUE_HEAD(tapir_left);

/* Time that later notifiers may take. If one of them ends the chain, the session continues. */
#define TAPIR_LEAVING_TIME (5 * HZ)

void tapir_modules_lock(void)
{
	unsigned long until = jiffies + TAPIR_LEAVING_TIME;

	mutex_lock(&tapir_modules_mutex);
	while (tapir_nleaving && time_before(jiffies, until)) {
		mutex_unlock(&tapir_modules_mutex);
		wait_event_idle_timeout(tapir_left, !READ_ONCE(tapir_nleaving), TAPIR_LEAVING_TIME);
		mutex_lock(&tapir_modules_mutex);
	}
}

void tapir_modules_unlock(void)
{
	mutex_unlock(&tapir_modules_mutex);
}

u32 tapir_module_of(u32 symbol)
{
	const char *name, *colon;
	u32 i;

	if (symbol == TAPIR_NO_SYMBOL)
		return TAPIR_NO_MODULE;
	name = tapir_module.symbols[symbol];
	colon = strchr(name, ':');
	for (i = 0; colon && i < tapir_nfollowed; i++)
		if (tapir_followed[i].length == colon - name && !memcmp(tapir_followed[i].name, name, colon - name))
			return i;
	return TAPIR_NO_MODULE;
}

bool tapir_module_is_there(u32 module)
{
	return tapir_followed[module].module;
}

bool tapir_module_is_known(u32 module)
{
	return tapir_followed[module].object;
}

bool tapir_module_in_init(u32 module, unsigned long address)
{
	return tapir_followed[module].module && within_module_init(address, tapir_followed[module].module);
}

void tapir_module_need(u32 module)
{
	tapir_followed[module].needed = true;
}

/* ---- which build it is ---- */

struct tapir_build_note {
	u32 name_bytes, bytes, type;
	char name[4];
	u8 id[];
};
#define TAPIR_NOTE_BUILD_ID 3 /* NT_GNU_BUILD_ID */

/*
 * Looks for the note with the wanted build-id. The kernel publishes a module's notes only after it has announced the module. But
 * they are in its read-only data, and other data that look like this very note are unlikely.
 */
static bool tapir_is_build(const struct module *module, const char *build_id)
{
	size_t bytes, length = strlen(build_id) / 2, at;
	const u8 *data = tapir_module_rodata(module, &bytes);
	u8 id[TAPIR_BUILD_ID_MAX / 2];

	if (!length || length > sizeof(id) || hex2bin(id, build_id, length))
		return false;
	for (at = 0; at + sizeof(struct tapir_build_note) + length <= bytes; at += 4) {
		const struct tapir_build_note *note = (const void *)(data + at);

		if (note->name_bytes == sizeof(note->name) && note->bytes == length && note->type == TAPIR_NOTE_BUILD_ID &&
		    !memcmp(note->name, "GNU", sizeof(note->name)) && !memcmp(note->id, id, length))
			return true;
	}
	return false;
}

static const struct tapir_object *tapir_object_of(const char *name, u32 length)
{
	u32 i;

	for (i = 0; i < tapir_module.nobjects; i++)
		if (strlen(tapir_module.objects[i].module) == length && !memcmp(tapir_module.objects[i].module, name, length))
			return &tapir_module.objects[i];
	return NULL;
}

bool tapir_module_fits(const struct module *module)
{
	const struct tapir_object *object = tapir_object_of(module->name, strlen(module->name));

	if (!object || tapir_is_build(module, object->build_id))
		return true;
	tapir_session_note(TAPIR_TEXT(ModuleOfAnotherBuild), module->name, object->build_id);
	return false;
}

/* ---- its symbols ---- */

/* Returns the index of a symbol of f by its name, or TAPIR_NO_SYMBOL if the script does not name it. */
static u32 tapir_symbol_wanted(const struct tapir_followed *f, const char *name)
{
	u32 low = f->first, high = f->first + f->count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;
		int order = strcmp(tapir_module.symbols[tapir_by_name[middle]] + f->length + 1, name);

		if (!order)
			return tapir_by_name[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return TAPIR_NO_SYMBOL;
}

/*
 * If several symbols have one name, the first function counts, or else the first symbol. A module that has just been initialised
 * switches to a table without its init code's symbols; a grace period later the kernel frees the old one.
 */
static void tapir_symbols_take(const struct tapir_followed *f)
{
	struct tapir_module_symbol symbol;
	tapir_module_symbols *table;
	u32 at, pass;

	rcu_read_lock();
	table = tapir_module_symbol_table(f->module);
	for (pass = 0; pass < 2; pass++) {
		for (at = 0; tapir_module_symbol_at(table, at, &symbol); at++) {
			u32 index;

			if (!symbol.address || symbol.is_function != !pass)
				continue;
			index = tapir_symbol_wanted(f, symbol.name);
			if (index != TAPIR_NO_SYMBOL && !tapir_symbol_address(index))
				tapir_symbol_set(index, symbol.address);
		}
	}
	rcu_read_unlock();
}

static void tapir_symbols_drop(const struct tapir_followed *f)
{
	u32 i;

	for (i = 0; i < f->count; i++)
		tapir_symbol_set(tapir_by_name[f->first + i], 0);
}

/* Updates the addresses that handlers read. While the module is away, an address faults. */
static void tapir_addresses_update(u32 module)
{
	u32 i;

	for (i = 0; i < tapir_module.naddresses; i++)
		if (tapir_module_of(tapir_module.addresses[i]) == module)
			WRITE_ONCE(tapir_module.address_values[i], tapir_symbol_address(tapir_module.addresses[i]));
}

/* ---- coming and going ---- */

static void tapir_module_came(u32 index, const struct module *module)
{
	struct tapir_followed *f = &tapir_followed[index];

	if (f->module || f->other_build == module)
		return;
	if (!tapir_module_fits(module)) {
		f->other_build = module;
		f->came = true;
		return;
	}
	f->came = true;
	f->module = module;
	tapir_symbols_take(f);
	tapir_addresses_update(index);
	tapir_tell(index, TAPIR_MODULE_CAME);
}

static void tapir_module_goes(u32 index, const struct module *module)
{
	struct tapir_followed *f = &tapir_followed[index];

	if (f->other_build == module)
		f->other_build = NULL;
	if (f->module != module)
		return;
	tapir_tell(index, TAPIR_MODULE_GOES);
	f->module = NULL;
	tapir_symbols_drop(f);
	tapir_addresses_update(index);
}

/* TAPIR_NO_MODULE: not one of those that are followed. */
static u32 tapir_followed_find(const char *name)
{
	u32 i;

	for (i = 0; i < tapir_nfollowed; i++)
		if (strlen(name) == tapir_followed[i].length && !memcmp(name, tapir_followed[i].name, tapir_followed[i].length))
			return i;
	return TAPIR_NO_MODULE;
}

/*
 * The code of a module, or its init code, is about to go. Between this call and tapir_hear() kprobes hear of it and mark probes in
 * such code as gone. Only then may they be unregistered: an optimized kprobe that is unregistered shortly before stays in the
 * kernel's table. Code that is later loaded to that address could then not be probed. So from here on the session thread leaves
 * these kprobes alone.
 */
static void tapir_module_leaving(u32 index, bool leaving)
{
	struct tapir_followed *f = &tapir_followed[index];

	if (f->leaving == leaving)
		return;
	f->leaving = leaving;
	WRITE_ONCE(tapir_nleaving, tapir_nleaving + (leaving ? 1 : -1));
	if (!leaving)
		wake_up_all(&tapir_left);
}

static int tapir_hear_leaving(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;
	u32 index;

	if (state != MODULE_STATE_GOING && state != MODULE_STATE_LIVE)
		return NOTIFY_DONE;
	mutex_lock(&tapir_modules_mutex);
	index = tapir_followed_find(module->name);
	if (index != TAPIR_NO_MODULE && tapir_followed[index].module == module)
		tapir_module_leaving(index, true);
	mutex_unlock(&tapir_modules_mutex);
	return NOTIFY_DONE;
}

static void tapir_module_changes(u32 index, const struct module *module, unsigned long state)
{
	if (state == MODULE_STATE_GOING)
		tapir_module_goes(index, module);
	else if (state == MODULE_STATE_LIVE && tapir_followed[index].module == module)
		tapir_tell(index, TAPIR_MODULE_INITED);
	else if (state == MODULE_STATE_COMING || state == MODULE_STATE_LIVE)
		tapir_module_came(index, module);
}

/* A module that was on its way when we began to listen is heard of only when it has been initialised. */
static int tapir_hear(struct notifier_block *block, unsigned long state, void *data)
{
	const struct module *module = data;
	u32 index;

	mutex_lock(&tapir_modules_mutex);
	index = tapir_followed_find(module->name);
	if (index != TAPIR_NO_MODULE) {
		tapir_module_changes(index, module, state);
		tapir_module_leaving(index, false);
	}
	mutex_unlock(&tapir_modules_mutex);
	return NOTIFY_DONE;
}

/* Kprobes and jump labels listen with priorities of 0 and 1: they are before us both when a module comes and when it goes. */
static struct notifier_block tapir_block = {.notifier_call = tapir_hear, .priority = -1};
static struct notifier_block tapir_leaving_block = {.notifier_call = tapir_hear_leaving, .priority = 2};

/* ---- start and stop ---- */

static int tapir_name_compare(const void *a, const void *b)
{
	return strcmp(tapir_module.symbols[*(const u32 *)a], tapir_module.symbols[*(const u32 *)b]);
}

/* Symbols whose names have a module, sorted. How many. */
static u32 tapir_names_collect(void)
{
	u32 i, count = 0;

	for (i = 0; i < tapir_module.nsymbols; i++)
		if (strchr(tapir_module.symbols[i], ':'))
			tapir_by_name[count++] = i;
	sort(tapir_by_name, count, sizeof(*tapir_by_name), tapir_name_compare, NULL);
	return count;
}

static void tapir_followed_collect(u32 nnames)
{
	u32 i;

	for (i = 0; i < nnames; i++) {
		const char *name = tapir_module.symbols[tapir_by_name[i]];
		u32 length = strchr(name, ':') - name;
		struct tapir_followed *f = tapir_nfollowed ? &tapir_followed[tapir_nfollowed - 1] : NULL;

		tapir_symbol_set(tapir_by_name[i], 0);
		if (f && f->length == length && !memcmp(f->name, name, length)) {
			f->count++;
			continue;
		}
		f = &tapir_followed[tapir_nfollowed++];
		f->name = name;
		f->length = length;
		f->first = i;
		f->count = 1;
		f->object = tapir_object_of(name, length);
	}
}

/*
 * Looks for a module that is already loaded. The kernel exports no way to find one by its name except its object in sysfs. A
 * reference to that object keeps `struct module` from being freed. The module's state shows that it will not go meanwhile: to go
 * further, it needs our lock.
 */
static void tapir_followed_look(u32 index)
{
	const struct tapir_followed *f = &tapir_followed[index];
	char name[MODULE_NAME_LEN];
	struct kobject *kobject;
	const struct module *module;

	if (f->length >= sizeof(name))
		return;
	memcpy(name, f->name, f->length);
	name[f->length] = 0;
	kobject = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
	if (!kobject)
		return;
	tapir_modules_lock();
	module = container_of(kobject, struct module_kobject, kobj)->mod;
	if (module && READ_ONCE(module->state) == MODULE_STATE_LIVE)
		tapir_module_came(index, module);
	tapir_modules_unlock();
	kobject_put(kobject);
}

static void tapir_modules_free(void)
{
	kvfree(tapir_followed);
	tapir_followed = NULL;
	kvfree(tapir_by_name);
	tapir_by_name = NULL;
	tapir_nfollowed = 0;
}

int tapir_modules_start(void (*tell)(u32 module, enum tapir_module_event event))
{
	u32 i, count;

	tapir_tell = tell;
	if (!tapir_module.nsymbols)
		return 0;
	tapir_by_name = kvcalloc(tapir_module.nsymbols, sizeof(*tapir_by_name), GFP_KERNEL);
	if (!tapir_by_name)
		goto no_memory;
	count = tapir_names_collect();
	if (!count) {
		tapir_modules_free();
		return 0;
	}
	tapir_followed = kvcalloc(count, sizeof(*tapir_followed), GFP_KERNEL);
	if (!tapir_followed)
		goto no_memory;
	tapir_followed_collect(count);
	/* The early notifier is registered only while the other one is: that one ends what the early one begins. */
	register_module_notifier(&tapir_block);
	register_module_notifier(&tapir_leaving_block);
	for (i = 0; i < tapir_nfollowed; i++)
		tapir_followed_look(i);
	return 0;

no_memory:
	tapir_modules_free();
	tapir_session_fail(TAPIR_TEXT(NoMemoryModules));
	return -ENOMEM;
}

void tapir_modules_stop(void)
{
	if (!tapir_nfollowed)
		return;
	unregister_module_notifier(&tapir_leaving_block);
	unregister_module_notifier(&tapir_block);
	tapir_modules_free();
}

void tapir_modules_report(void)
{
	u32 i;

	for (i = 0; i < tapir_nfollowed; i++)
		if (tapir_followed[i].needed && !tapir_followed[i].came)
			tapir_session_warn(TAPIR_TEXT(ModuleNotLoaded), (int)tapir_followed[i].length, tapir_followed[i].name);
}
