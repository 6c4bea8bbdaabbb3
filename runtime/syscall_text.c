// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Arguments of system calls as text, by their descriptors (tapir/syscall.h). A value that cannot be read makes the nearest address
 * that led to it be shown instead.
 */
#include <tapir/text.h>
#include "syscall_internal.h"

#define TAPIR_AT_FDCWD (-100)

/* A list of arguments or fields, and where their values are. */
struct tapir_values {
	const struct tapir_show *list;
	const u64 *args; /* NULL: fields of the structure at `base` */
	u64 base;
};

struct tapir_view {
	struct tapir_text text;
	bool narrow;
	bool fault; /* a read failed; the code that has the address shows that instead */
	u8 depth;
};

static void tapir_show(struct tapir_view *v, const struct tapir_values *values, const struct tapir_show *show);

static bool tapir_show_is_signed(const struct tapir_show *show)
{
	return show->kind == TAPIR_SHOW_SIGNED || show->kind == TAPIR_SHOW_ENUM || show->kind == TAPIR_SHOW_DIRFD ||
	       show->kind == TAPIR_SHOW_SIGNAL;
}

static u64 tapir_show_bits(const struct tapir_show *show, bool narrow)
{
	u32 size = show->size[narrow];

	return size < 8 ? (1ull << (8 * size)) - 1 : ~0ull;
}

static u64 tapir_extend(const struct tapir_show *show, bool narrow, u64 value)
{
	u64 bits = tapir_show_bits(show, narrow);

	value &= bits;
	return tapir_show_is_signed(show) && value > bits >> 1 ? value | ~bits : value;
}

static u64 tapir_argument(const struct tapir_show *show, const u64 *args, bool narrow)
{
	u32 at = show->at[narrow];
	u64 value = at < TAPIR_SYSCALL_ARGUMENTS ? args[at] : 0;

	if (narrow && show->size[1] == 8 && at + 1 < TAPIR_SYSCALL_ARGUMENTS)
		value = (u32)value | args[at + 1] << 32;
	return tapir_extend(show, narrow, value);
}

static bool tapir_load(const struct tapir_view *v, const struct tapir_values *values, const struct tapir_show *show, u64 *value)
{
	*value = 0;
	if (values->args) {
		*value = tapir_argument(show, values->args, v->narrow);
		return true;
	}
	if (show->size[v->narrow] > 8 || tapir_port_read_user(value, values->base + show->at[v->narrow], show->size[v->narrow]))
		return false;
	*value = tapir_extend(show, v->narrow, *value);
	return true;
}

/* Returns the value that completes this one; `missing` if it needs none. */
static u64 tapir_other(struct tapir_view *v, const struct tapir_values *values, const struct tapir_show *show, u64 missing)
{
	u64 value = missing;

	if (show->other != TAPIR_SHOW_ALONE && !tapir_load(v, values, &values->list[show->other], &value))
		v->fault = true;
	return value;
}

/* Resolves a choice. */
static const struct tapir_show *tapir_chosen(struct tapir_view *v, const struct tapir_values *values, const struct tapir_show *show)
{
	u32 depth;

	for (depth = 0; show->kind == TAPIR_SHOW_CHOICE && depth < TAPIR_SHOW_DEPTH; depth++) {
		const struct tapir_choice *choice = show->of;
		u64 value = tapir_other(v, values, show, 0);
		u32 i = 0;

		while (i + 1 < choice->count && (value & choice->cases[i].mask) != choice->cases[i].value)
			i++;
		show = choice->cases[i].show;
	}
	return show;
}

static u32 tapir_element_size(const struct tapir_show *element, bool narrow)
{
	switch (element->kind) {
	case TAPIR_SHOW_RECORD_HERE:
		return ((const struct tapir_struct *)element->of)->size[narrow];
	case TAPIR_SHOW_TEXT_HERE:
	case TAPIR_SHOW_SIGSET_HERE:
		return element->count;
	default:
		return element->size[narrow];
	}
}

static void tapir_show_record(struct tapir_view *v, const struct tapir_struct *record, u64 address)
{
	struct tapir_values fields = {.list = record->fields, .base = address};
	bool any = false;
	u32 i;

	tapir_text_char(&v->text, '{');
	for (i = 0; i < record->nfields && !v->fault && !tapir_text_full(&v->text); i++) {
		const struct tapir_show *field = tapir_chosen(v, &fields, &record->fields[i]);

		if (field->kind == TAPIR_SHOW_NONE)
			continue;
		if (any)
			tapir_text_add(&v->text, ", ");
		any = true;
		if (record->fields[i].name) {
			tapir_text_add(&v->text, record->fields[i].name);
			tapir_text_char(&v->text, '=');
		}
		tapir_show(v, &fields, field);
	}
	tapir_text_char(&v->text, '}');
}

static void tapir_show_array(struct tapir_view *v, const struct tapir_show *element, u64 address, u64 count)
{
	u32 stride = tapir_element_size(element, v->narrow), i;

	tapir_text_char(&v->text, '[');
	for (i = 0; i < count && !tapir_text_full(&v->text); i++) {
		struct tapir_values one = {.list = element, .base = address + (u64)i * stride};
		u32 start;

		if (i)
			tapir_text_add(&v->text, ", ");
		if (i == TAPIR_SHOW_ITEMS) {
			tapir_text_add(&v->text, "...");
			break;
		}
		start = v->text.length;
		tapir_show(v, &one, element);
		if (v->fault && i) {
			/* Earlier elements are worth showing. */
			v->fault = false;
			tapir_text_cut(&v->text, start);
			tapir_text_address(&v->text, one.base);
			break;
		}
		if (v->fault)
			return;
	}
	tapir_text_char(&v->text, ']');
}

static bool tapir_show_sigset(struct tapir_view *v, u64 address, u64 size)
{
	u64 set = 0;

	if (size != 8 && !(size == 4 && v->narrow))
		return false;
	if (tapir_port_read_user(&set, address, size))
		return false;
	tapir_text_signals(&v->text, set);
	return true;
}

static void tapir_show_text_here(struct tapir_view *v, u64 address, u32 count)
{
	u32 n;
	char c;

	for (n = 0; n < count; n++) {
		if (tapir_port_read_user(&c, address + n, 1)) {
			v->fault = true;
			return;
		}
		if (!c)
			break;
	}
	v->fault = !tapir_text_bytes(&v->text, address, n, count);
}

/* Shows a record or text that is in place at `address`, rather than a value that points to it. */
static void tapir_show_here(struct tapir_view *v, const struct tapir_show *show, u64 address)
{
	switch (show->kind) {
	case TAPIR_SHOW_TEXT_HERE:
		tapir_show_text_here(v, address, show->count);
		break;
	case TAPIR_SHOW_SIGSET_HERE:
		v->fault = !tapir_show_sigset(v, address, show->count);
		break;
	case TAPIR_SHOW_RECORD_HERE:
		tapir_show_record(v, show->of, address);
		break;
	default:
		tapir_show_array(v, show->of, address, show->count);
		break;
	}
}

/* Shows the memory that a non-NULL address points to. Returns false if it is not readable. */
static bool tapir_show_pointed(struct tapir_view *v, const struct tapir_values *values, const struct tapir_show *show, u64 address)
{
	struct tapir_text *t = &v->text;
	u64 other = tapir_other(v, values, show, show->count);

	if (v->fault)
		return false;
	switch (show->kind) {
	case TAPIR_SHOW_STRING:
		return tapir_text_string(t, address);
	case TAPIR_SHOW_BYTES:
		return tapir_text_bytes(t, address, other, TAPIR_SHOW_ITEMS);
	case TAPIR_SHOW_STRINGS:
		return tapir_show_strings(t, address, v->narrow);
	case TAPIR_SHOW_ENVIRONMENT:
		tapir_show_environment(t, address, v->narrow);
		return true;
	case TAPIR_SHOW_SIGSET:
		return tapir_show_sigset(v, address, other);
	case TAPIR_SHOW_FDSET:
		return tapir_show_fdset(t, address, other);
	case TAPIR_SHOW_SOCKADDR:
		return tapir_show_sockaddr(t, show->of, address, other);
	case TAPIR_SHOW_CONTROL:
		return tapir_show_control(t, address, other, v->narrow);
	case TAPIR_SHOW_STRUCT:
		tapir_show_record(v, show->of, address);
		break;
	case TAPIR_SHOW_ARRAY:
		tapir_show_array(v, show->of, address, other);
		break;
	default:
		tapir_show_array(v, show->of, address, 1);
		break;
	}
	return !v->fault;
}

static void tapir_show_device(struct tapir_text *t, u64 device)
{
	tapir_text_add(t, "makedev(");
	tapir_text_hex(t, (device >> 8 & 0xfff) | (device >> 32 & ~0xfffull));
	tapir_text_add(t, ", ");
	tapir_text_hex(t, (device & 0xff) | (device >> 12 & 0xffffff00));
	tapir_text_char(t, ')');
}

static void tapir_show_value(struct tapir_view *v, const struct tapir_show *show, u64 value)
{
	struct tapir_text *t = &v->text;
	u64 bits = tapir_show_bits(show, v->narrow);

	switch (show->kind) {
	case TAPIR_SHOW_SIGNED:
		tapir_text_signed(t, value);
		break;
	case TAPIR_SHOW_UNSIGNED:
		tapir_text_unsigned(t, value);
		break;
	case TAPIR_SHOW_HEX:
		tapir_text_hex(t, value);
		break;
	case TAPIR_SHOW_OCTAL:
		tapir_text_octal(t, value, 3);
		break;
	case TAPIR_SHOW_MODE:
		tapir_show_mode(t, value);
		break;
	case TAPIR_SHOW_FLAGS:
		tapir_show_flags(t, show->of, value, bits);
		break;
	case TAPIR_SHOW_ENUM:
		tapir_show_enum(t, show->of, value, bits);
		break;
	case TAPIR_SHOW_DIRFD:
		if ((s64)value == TAPIR_AT_FDCWD)
			tapir_text_add(t, "AT_FDCWD");
		else
			tapir_text_signed(t, value);
		break;
	case TAPIR_SHOW_SIGNAL:
		tapir_text_signal(t, value);
		break;
	case TAPIR_SHOW_DEVICE:
		tapir_show_device(t, value);
		break;
	default:
		tapir_text_address(t, value);
		break;
	}
}

/* `show` must not be a TAPIR_SHOW_CHOICE. */
static void tapir_show(struct tapir_view *v, const struct tapir_values *values, const struct tapir_show *show)
{
	u32 start = v->text.length;
	u64 value;

	if (v->depth == TAPIR_SHOW_DEPTH) {
		tapir_text_add(&v->text, "...");
		return;
	}
	v->depth++;
	show = tapir_chosen(v, values, show);
	if (show->kind >= TAPIR_SHOW_TEXT_HERE) {
		tapir_show_here(v, show, values->base + show->at[v->narrow]);
	} else if (!tapir_load(v, values, show, &value)) {
		v->fault = true;
	} else if (show->kind < TAPIR_SHOW_STRING || !value) {
		tapir_show_value(v, show, value);
	} else if (!tapir_show_pointed(v, values, show, value)) {
		v->fault = false;
		tapir_text_cut(&v->text, start);
		tapir_text_address(&v->text, value);
	}
	v->depth--;
}

void tapir_syscall_argstr(const struct tapir_syscall *call, const u64 *args, bool narrow, char *dst, u32 cap)
{
	struct tapir_values values = {.list = call->args, .args = args};
	struct tapir_view v = {.text = {.dst = dst, .cap = cap}, .narrow = narrow};
	bool any = false;
	u32 i;

	dst[0] = 0;
	for (i = 0; call->args && i < call->nargs; i++) {
		const struct tapir_show *show = tapir_chosen(&v, &values, &call->args[i]);

		if (show->kind == TAPIR_SHOW_NONE)
			continue;
		if (any)
			tapir_text_add(&v.text, ", ");
		any = true;
		if (call->args[i].name) {
			tapir_text_add(&v.text, call->args[i].name);
			tapir_text_char(&v.text, '=');
		}
		tapir_show(&v, &values, show);
	}
	tapir_text_done(&v.text);
}

void tapir_syscall_text(const struct tapir_syscall *call, const u64 *args, bool narrow, u32 index, char *dst, u32 cap)
{
	struct tapir_values values = {.list = call->args, .args = args};
	struct tapir_view v = {.text = {.dst = dst, .cap = cap}, .narrow = narrow};
	const struct tapir_show *show;

	dst[0] = 0;
	if (!call->args || index >= call->nargs)
		return;
	show = tapir_chosen(&v, &values, &call->args[index]);
	if (show->kind != TAPIR_SHOW_NONE)
		tapir_show(&v, &values, show);
	tapir_text_done(&v.text);
}

void tapir_syscall_unquoted(const struct tapir_syscall *call, const u64 *args, bool narrow, u32 index, char *dst, u32 cap)
{
	u64 address;

	if (!call->args || index >= call->nargs || call->args[index].kind != TAPIR_SHOW_STRING) {
		tapir_syscall_text(call, args, narrow, index, dst, cap);
		return;
	}
	address = tapir_argument(&call->args[index], args, narrow);
	if (!address || tapir_read_user_text(dst, address, cap) < 0) {
		struct tapir_text t = {.dst = dst, .cap = cap};

		tapir_text_address(&t, address);
		tapir_text_done(&t);
	}
}

s64 tapir_syscall_number(const struct tapir_syscall *call, const u64 *args, bool narrow, u32 index)
{
	return call->args && index < call->nargs ? tapir_argument(&call->args[index], args, narrow) : 0;
}

void tapir_syscall_retstr(const struct tapir_syscall *call, s64 result, char *dst, u32 cap)
{
	struct tapir_text t = {.dst = dst, .cap = cap};
	const char *error = result < 0 && result >= -4095 ? tapir_errno_name(-result) : NULL;

	dst[0] = 0;
	if (error) {
		tapir_text_signed(&t, result);
		tapir_text_add(&t, " (");
		tapir_text_add(&t, error);
		tapir_text_char(&t, ')');
		tapir_text_done(&t);
		return;
	}
	switch (call ? call->result : TAPIR_RESULT_SIGNED) {
	case TAPIR_RESULT_HEX:
		tapir_text_hex(&t, result);
		break;
	case TAPIR_RESULT_OCTAL:
		tapir_text_octal(&t, result, 1);
		break;
	case TAPIR_RESULT_NONE:
		tapir_text_char(&t, '?');
		break;
	default:
		tapir_text_signed(&t, result);
		break;
	}
	tapir_text_done(&t);
}
