// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks and symbols as text. The port finds them; the symbol's text is taken apart here. */
#include <tapir/format.h>
#include <tapir/port.h>
#include <tapir/stack.h>
#include <tapir/string.h>
#include <tapir/text.h>
#include <tapir/work.h>
#include "handler.h"
#include "stack_internal.h"

#define SYMBOL_BYTES 512

/* Where things are in the scratch memory of 4096 bytes. */
static u64 *frames(struct tapir_ctx *c)
{
	return c->scratch;
}

static char *symbol_text(struct tapir_ctx *c)
{
	return (char *)c->scratch + TAPIR_STACK_MAX * sizeof(u64);
}

static u32 find_frames(struct tapir_ctx *c)
{
	u32 count = tapir_port_kernel_stack(c, frames(c), TAPIR_STACK_MAX);

	return tapir_work(c, TAPIR_WORK_KERNEL_WALK + count * (u64)TAPIR_WORK_KERNEL_FRAME) ? count : 0;
}

u32 tapir_put_hex(char *dst, u64 value)
{
	u32 digits = 1, i;

	while (digits < 16 && value >> 4 * digits)
		digits++;
	dst[0] = '0';
	dst[1] = 'x';
	for (i = 0; i < digits; i++)
		dst[2 + i] = "0123456789abcdef"[value >> 4 * (digits - 1 - i) & 15];
	dst[2 + digits] = 0;
	return 2 + digits;
}

/* Cuts `text` at the first of `a` and `b` and returns the rest; NULL if it has neither. */
static char *cut(char *text, char a, char b)
{
	for (; *text; text++) {
		if (*text != a && *text != b)
			continue;
		*text = 0;
		return text + 1;
	}
	return NULL;
}

/* The port's text "NAME+0xOFFSET/0xSIZE [MODULE]" is cut in place. */
bool tapir_kernel_symbol(struct tapir_ctx *c, u64 address, bool called, struct tapir_symbol_text *symbol)
{
	char *text = symbol_text(c), *offset, *size, *module;
	bool found = false;

	if (!c->failed && called)
		found = tapir_port_return_symbol(address, text, SYMBOL_BYTES);
	else if (!c->failed)
		found = tapir_port_symbol(address, text, SYMBOL_BYTES);
	tapir_work(c, TAPIR_WORK_KERNEL_SYMBOL);
	if (!found)
		return false;
	offset = cut(text, '+', '+');
	size = offset ? cut(offset, '/', '/') : NULL;
	module = size ? cut(size, '[', '[') : NULL;
	if (module) {
		cut(module, ']', ' ');
		tapir_work(c, TAPIR_WORK_MODULE_SYMBOL);
	}
	if (size)
		cut(size, ' ', ' ');
	*symbol = (struct tapir_symbol_text){
	    .name = text, .offset = offset ? offset : "0x0", .size = size ? size : "0x0", .module = module ? module : "kernel"};
	return true;
}

/* Finds a symbol for a number that may be any address. At a function's beginning, and behind the last one, it may be a return
 * address from stack(3), of a call that does not return: the stack shows that. */
static bool symbol_of_any(struct tapir_ctx *c, u64 address, struct tapir_symbol_text *symbol)
{
	bool found = tapir_kernel_symbol(c, address, false, symbol);
	u32 count, i;

	if ((found && (symbol->offset[2] != '0' || symbol->offset[3])) || !tapir_port_behind_call(address))
		return found;
	count = find_frames(c);
	for (i = 1; i < count && frames(c)[i] != address; i++)
		;
	return tapir_kernel_symbol(c, address, i < count, symbol);
}

static void put_decimal(char *dst, u32 value)
{
	u32 tens = 1;

	while (value / tens > 9)
		tens *= 10;
	for (; tens; tens /= 10)
		*dst++ = (char)('0' + value / tens % 10);
	*dst = 0;
}

u32 tapir_line_parts(u64 address, const struct tapir_symbol_text *s, bool brief, struct tapir_line_room *room, const char **parts)
{
	u32 n = 0;

	tapir_put_hex(room->address, address);
	if (brief) {
		parts[n++] = s && s->name ? s->name : room->address;
		if (s && s->name) {
			parts[n++] = "+";
			parts[n++] = s->offset;
		}
		parts[n++] = "\n";
		return n;
	}
	parts[n++] = " ";
	parts[n++] = room->address;
	if (s && s->name) {
		parts[n++] = " : ";
		parts[n++] = s->name;
		parts[n++] = "+";
		parts[n++] = s->offset;
		parts[n++] = "/";
		parts[n++] = s->size;
	}
	if (s && s->file) {
		put_decimal(room->line, s->line);
		parts[n++] = " at ";
		parts[n++] = s->file;
		parts[n++] = ":";
		parts[n++] = room->line;
	}
	if (s) {
		parts[n++] = " [";
		parts[n++] = s->module;
	}
	if (s && !s->name) {
		parts[n++] = "+";
		parts[n++] = s->offset;
	}
	parts[n++] = s ? "]\n" : "\n";
	return n;
}

static void print_parts(struct tapir_ctx *c, u64 address, const struct tapir_symbol_text *s, bool brief)
{
	const char *parts[TAPIR_LINE_PARTS];
	struct tapir_line_room room;
	u32 n = tapir_line_parts(address, s, brief, &room, parts), i;

	for (i = 0; i < n; i++)
		tapir_print_bytes(c, parts[i], tapir_strlen(parts[i], TAPIR_OUTPUT_MAX));
}

void tapir_print_line(struct tapir_ctx *c, u64 address, const struct tapir_symbol_text *s)
{
	print_parts(c, address, s, false);
}

void tapir_print_brief(struct tapir_ctx *c, u64 address, const struct tapir_symbol_text *s)
{
	print_parts(c, address, s, true);
}

u32 tapir_add_line(u64 address, const struct tapir_symbol_text *s, char *dst, u32 used, u32 cap)
{
	char hex[TAPIR_HEX_BYTES];
	const char *parts[6];
	u32 length = 0, n = 0, i;

	if (s && s->name) {
		parts[n++] = s->name;
		parts[n++] = "+";
		parts[n++] = s->offset;
		parts[n++] = " [";
		parts[n++] = s->module;
		parts[n++] = "]\n";
	} else {
		tapir_put_hex(hex, address);
		parts[n++] = hex;
		if (s) {
			parts[n++] = " [";
			parts[n++] = s->module;
			parts[n++] = "+";
			parts[n++] = s->offset;
		}
		parts[n++] = s ? "]\n" : "\n";
	}
	for (i = 0; i < n; i++)
		length += tapir_strlen(parts[i], cap);
	if (used + length >= cap)
		return used;
	for (i = 0; i < n; i++) {
		tapir_str_copy(dst + used, parts[i], cap - used);
		used += tapir_strlen(parts[i], cap);
	}
	return used;
}

u32 tapir_add_address(u64 address, char *dst, u32 used, u32 cap)
{
	char hex[TAPIR_HEX_BYTES];
	u32 length = tapir_put_hex(hex, address);

	if (used + length + 1 >= cap)
		return used;
	tapir_str_copy(dst + used, hex, cap - used);
	tapir_str_copy(dst + used + length, " ", cap - used - length);
	return used + length + 1;
}

void tapir_symbol_line(const struct tapir_symbol_text *s, char *dst, u32 cap)
{
	const char *const parts[] = {s->name, "+", s->offset, "/", s->size, " [", s->module, "]"};

	tapir_str_join(dst, parts, sizeof(parts) / sizeof(*parts), cap);
}

static void print_frame(struct tapir_ctx *c, u64 address, bool called)
{
	struct tapir_symbol_text s;

	tapir_print_line(c, address, tapir_kernel_symbol(c, address, called, &s) ? &s : NULL);
}

/* Appends a whole line at `used`, or nothing; the new length, or `used`. */
static u32 add_frame(struct tapir_ctx *c, u64 address, bool called, char *dst, u32 used, u32 cap)
{
	struct tapir_symbol_text s;

	return tapir_add_line(address, tapir_kernel_symbol(c, address, called, &s) ? &s : NULL, dst, used, cap);
}

void tapir_stack_addresses(struct tapir_ctx *c, char *dst, u32 cap, s64 limit)
{
	u32 count = find_frames(c), used = 0, i;

	dst[0] = 0;
	tapir_work(c, count * (u64)TAPIR_WORK_TEXT_FRAME);
	for (i = 0; i < count && (limit < 0 || i < limit); i++) {
		u32 longer = tapir_add_address(frames(c)[i], dst, used, cap);

		if (longer == used) {
			tapir_count_cut(TAPIR_CUT_STACK, cap);
			return;
		}
		used = longer;
	}
}

s64 tapir_stack_frame(struct tapir_ctx *c, s64 n)
{
	return n >= 0 && n < find_frames(c) ? (s64)frames(c)[n] : 0;
}

void tapir_stack_print(struct tapir_ctx *c)
{
	u32 count = find_frames(c), i;

	for (i = 0; i < count && !c->failed; i++)
		print_frame(c, frames(c)[i], i > 0);
}

void tapir_stack_text(struct tapir_ctx *c, char *dst, u32 cap)
{
	u32 count = find_frames(c), used = 0, i;

	dst[0] = 0;
	for (i = 0; i < count && !c->failed; i++) {
		u32 longer = add_frame(c, frames(c)[i], i > 0, dst, used, cap);

		if (longer == used) {
			tapir_count_cut(TAPIR_CUT_STACK, cap);
			return;
		}
		used = longer;
	}
}

const char *tapir_next_address(const char *text, u64 *address)
{
	const char *start;

	while (*text == ' ' || *text == '\n')
		text++;
	start = text;
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	*address = 0;
	for (;; text++) {
		char lower = *text | 32;

		if (*text >= '0' && *text <= '9')
			*address = *address << 4 | (u64)(*text - '0');
		else if (lower >= 'a' && lower <= 'f')
			*address = *address << 4 | (u64)(lower - 'a' + 10);
		else
			return text > start ? text : NULL;
	}
}

/* Lists of addresses: the first is where the kernel was left, the others are return addresses. */
void tapir_addresses_print(struct tapir_ctx *c, const char *list)
{
	bool called = false;
	u64 address;

	for (; !c->failed && (list = tapir_next_address(list, &address)); called = true)
		print_frame(c, address, called);
}

void tapir_addresses_text(struct tapir_ctx *c, const char *list, char *dst, u32 cap)
{
	bool called = false;
	u32 used = 0;
	u64 address;

	dst[0] = 0;
	for (; !c->failed && (list = tapir_next_address(list, &address)); called = true) {
		u32 longer = add_frame(c, address, called, dst, used, cap);

		if (longer == used) {
			tapir_count_cut(TAPIR_CUT_STACK, cap);
			return;
		}
		used = longer;
	}
}

void tapir_symbol_name(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	char hex[TAPIR_HEX_BYTES];
	struct tapir_symbol_text s;

	if (symbol_of_any(c, address, &s)) {
		tapir_str_copy(dst, s.name, cap);
		return;
	}
	tapir_put_hex(hex, address);
	tapir_str_copy(dst, hex, cap);
}

void tapir_symbol_data(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	struct tapir_symbol_text s;

	if (!symbol_of_any(c, address, &s)) {
		tapir_symbol_name(c, address, dst, cap);
		return;
	}
	tapir_symbol_line(&s, dst, cap);
}

void tapir_symbol_module(struct tapir_ctx *c, u64 address, char *dst, u32 cap)
{
	struct tapir_symbol_text s;

	tapir_str_copy(dst, symbol_of_any(c, address, &s) ? s.module : "<unknown>", cap);
}
