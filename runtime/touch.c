// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine that runs the programs of tapir/touch.h. */
#include <tapir/touch.h>

/* A string is brought in this far, or to the end of the page after its first. */
#define TAPIR_TOUCH_TEXT_BYTES 512
/* The lowest address that a program can map: a smaller number in an argument is not an address. */
#define TAPIR_TOUCH_LOWEST 65536
#define TAPIR_TOUCH_PAGE   4096

struct tapir_touch_stack {
	u64 values[TAPIR_TOUCH_DEPTH];
	u32 depth;
};

static bool tapir_touch_push(struct tapir_touch_stack *s, u64 value)
{
	if (s->depth == TAPIR_TOUCH_DEPTH)
		return false;
	s->values[s->depth++] = value;
	return true;
}

static u64 tapir_touch_compute(u8 op, u64 a, u64 b)
{
	switch (op) {
	case TAPIR_TOUCH_ADD:
		return a + b;
	case TAPIR_TOUCH_SUBTRACT:
		return a - b;
	case TAPIR_TOUCH_MULTIPLY:
		return a * b;
	case TAPIR_TOUCH_AND:
		return a & b;
	case TAPIR_TOUCH_OR:
		return a | b;
	case TAPIR_TOUCH_XOR:
		return a ^ b;
	case TAPIR_TOUCH_SHIFT_LEFT:
		return a << (b & 63);
	case TAPIR_TOUCH_SHIFT_RIGHT:
		return a >> (b & 63);
	default:
		return (u64)((s64)a >> (b & 63));
	}
}

static void tapir_touch_text(u64 address, const struct tapir_touch_port *port)
{
	u64 last = address + TAPIR_TOUCH_TEXT_BYTES - 1;
	char byte;

	if (address < TAPIR_TOUCH_LOWEST || !port->read(port->data, address, &byte, 1))
		return;
	if ((address ^ last) & ~(u64)(TAPIR_TOUCH_PAGE - 1))
		port->read(port->data, last, &byte, 1);
}

/* One instruction; false: the program ends. */
static bool tapir_touch_step(const struct tapir_touch *t, struct tapir_touch_stack *s, const struct tapir_touch_port *port)
{
	u64 value = (u64)t->value, bias;

	switch (t->op) {
	case TAPIR_TOUCH_REGISTER:
		return port->reg(port->data, t->detail, &value) && tapir_touch_push(s, value);
	case TAPIR_TOUCH_ARGUMENT:
		return port->argument(port->data, t->detail, &value) && tapir_touch_push(s, value);
	case TAPIR_TOUCH_PROGRAM:
		return port->program(port->data, t->detail, &bias) && tapir_touch_push(s, bias + value);
	case TAPIR_TOUCH_CONSTANT:
		return tapir_touch_push(s, value);
	case TAPIR_TOUCH_LOAD:
		value = 0;
		if (!s->depth || t->detail > sizeof(value) || s->values[s->depth - 1] < TAPIR_TOUCH_LOWEST ||
		    !port->read(port->data, s->values[s->depth - 1], &value, t->detail))
			return false;
		s->values[s->depth - 1] = value;
		return true;
	case TAPIR_TOUCH_TEXT:
		if (s->depth)
			tapir_touch_text(s->values[s->depth - 1], port);
		return false;
	case TAPIR_TOUCH_END:
		return false;
	default:
		if (s->depth < 2)
			return false;
		s->depth--;
		s->values[s->depth - 1] = tapir_touch_compute(t->op, s->values[s->depth - 1], s->values[s->depth]);
		return true;
	}
}

static bool tapir_touch_is_last(u8 op)
{
	return op == TAPIR_TOUCH_END || op == TAPIR_TOUCH_TEXT;
}

void tapir_touch_run(const struct tapir_touch *list, u32 count, const struct tapir_touch_port *port)
{
	struct tapir_touch_stack stack = {.depth = 0};
	u32 i = 0;

	while (i < count) {
		if (tapir_touch_step(&list[i], &stack, port)) {
			i++;
			continue;
		}
		while (i < count && !tapir_touch_is_last(list[i].op))
			i++;
		i++;
		stack.depth = 0;
	}
}
