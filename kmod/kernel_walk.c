// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks over kernel stacks by remembered rules; see kernel_walk.h.
 *
 * A rule is learned by letting the kernel's unwinder step over a stack that was made for it: a few words on this one, each of which
 * holds its own number. Where the unwinder finds the return address and the caller's frame pointer then says where they are in any
 * frame of the place. Rules of the kernel hold as long as it runs, those of modules until the module goes. Code that is neither,
 * such as trampolines, is asked for each time.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <tapir/wait.h>
#include "compat/kernel_stack.h"
#include "hit.h"
#include "kernel_walk.h"
#include "kind.h"
#include "symbols.h"

/* ---- rules ---- */

/*
 * A rule in a word, which is read and written at once. 0: none.
 *	0..30	the place, from TAPIR_KERNEL_TEXT on
 *	31..42	the distance from the base to the stack pointer of the caller, or to the saved registers, in words
 *	43..51	the distance from that stack pointer down to the caller's frame pointer, in words; 0: it is the same; BP_LOST
 *	52..53	where the caller is
 *	54..60	see kernel_walk.h
 */
#define RULE_PLACE	0x7fffffffull
#define RULE_CFA_SHIFT	31
#define RULE_CFA_MASK	4095u
#define RULE_BP_SHIFT	43
#define RULE_BP_MASK	511u
#define RULE_BP_LOST	511u
#define RULE_BASE_SHIFT 52
#define RULE_BY_SP	0u
#define RULE_BY_BP	1u
#define RULE_REGISTERS	2u
#define RULE_NONE	3u /* with the distance 0: the outermost frame; else it is not known */
#define RULE_UNKNOWN	(1ull << RULE_CFA_SHIFT | (u64)RULE_NONE << RULE_BASE_SHIFT)
#define RULE_OUTERMOST	((u64)RULE_NONE << RULE_BASE_SHIFT)

#define TAPIR_RULES_BITS 12
static u64 tapir_rules[1u << TAPIR_RULES_BITS];

static __always_inline u32 tapir_rule_slot(u32 place)
{
	return place * 0x9e3779b1u >> (32 - TAPIR_RULES_BITS);
}

/* ---- what the place is ---- */

static unsigned long tapir_sched_text[2], tapir_lock_text[2];

static bool tapir_is_between(unsigned long address, const unsigned long *range)
{
	return address >= range[0] && address < range[1];
}

/* A probe of returns has put its own address there; only the kernel's unwinder knows the one it stands for. */
static bool tapir_is_trampoline(const char *name)
{
	return !strncmp(name, "return_to_handler+0x0/", 22) || !strncmp(name, "arch_rethook_trampoline+0x0/", 28) ||
	       !strncmp(name, "__kretprobe_trampoline+0x0/", 27) || !strncmp(name, "kretprobe_trampoline+0x0/", 25);
}

/* The part of a rule that the name decides. `lasting`: the code stays as long as the rule can. */
static u64 tapir_rule_facts(unsigned long address, char *text, bool *lasting)
{
	u32 flags, kind;
	char *module;

	*lasting = true;
	if (within_module(address, THIS_MODULE))
		return TAPIR_RULE_SKIP;
	snprintf(text, TAPIR_WALK_TEXT, "%pS", (void *)address);
	module = strchr(text, '[');
	/* Programs of BPF and the trampolines of ftrace are named so. */
	if (text[0] == '0' || (module && (!strncmp(module, "[bpf]", 5) || !strncmp(module, "[__builtin__", 12))))
		*lasting = false;
	text[strcspn(text, "+. ")] = 0;
	kind = tapir_wait_kind_of(text, &flags);
	if (tapir_is_between(address, tapir_sched_text) || tapir_is_between(address, tapir_lock_text))
		flags |= TAPIR_WAIT_SKIP;
	return (u64)kind << TAPIR_RULE_KIND_SHIFT | (flags & TAPIR_WAIT_SKIP ? TAPIR_RULE_SKIP : 0) |
	       (flags & TAPIR_WAIT_WEAK ? TAPIR_RULE_WEAK : 0);
}

/* ---- learning ---- */

#define MODEL_WORDS 32u

struct tapir_model {
	unsigned long words[MODEL_WORDS];
};

/*
 * Where in the frame are the return address and the caller's frame pointer? `by` says what the frame is found by, `distance` how
 * far below its end that points. The model is the upper end of such a frame.
 */
static u64 tapir_rule_of_call(struct tapir_model *model, unsigned long at, u32 by, unsigned long distance)
{
	unsigned long end = (unsigned long)(model->words + MODEL_WORDS), base = end - distance, other = (unsigned long)model->words;
	u32 saved = RULE_BP_LOST, i;
	struct tapir_unwound to;

	if (distance > RULE_CFA_MASK * sizeof(long) || distance % sizeof(long))
		return RULE_UNKNOWN;
	for (i = 0; i < MODEL_WORDS; i++)
		model->words[i] = i + 1;
	if (tapir_unwind_once(at, by == RULE_BY_SP ? base : other, by == RULE_BY_SP ? other : base, &to) != TAPIR_STEP_CALLER ||
	    to.registers || to.sp != end || to.ip != MODEL_WORDS)
		return RULE_UNKNOWN;
	if (to.bp && to.bp <= MODEL_WORDS)
		saved = MODEL_WORDS + 1 - to.bp;
	else if (by == RULE_BY_SP && to.bp == other)
		saved = 0;
	return (distance / sizeof(long)) << RULE_CFA_SHIFT | (u64)saved << RULE_BP_SHIFT | (u64)by << RULE_BASE_SHIFT;
}

/* Not inline: a walk seldom comes here, and this takes most of the room on the stack. `at` is within the code in question. */
static noinline u64 tapir_rule_learn(unsigned long at)
{
	unsigned long sp, bp, moved;
	struct tapir_unwound to, again;
	struct tapir_model model = {0};
	enum tapir_step end;

	sp = (unsigned long)model.words;
	bp = sp + sizeof(model) / 2;
	moved = bp + sizeof(long);
	end = tapir_unwind_once(at, sp, bp, &to);
	if (end == TAPIR_STEP_OUTERMOST)
		return RULE_OUTERMOST;
	if (end == TAPIR_STEP_UNKNOWN)
		return RULE_UNKNOWN;
	if (to.registers)
		return to.registers - sp > RULE_CFA_MASK * sizeof(long)
			   ? RULE_UNKNOWN
			   : (to.registers - sp) / sizeof(long) << RULE_CFA_SHIFT | (u64)RULE_REGISTERS << RULE_BASE_SHIFT;
	if (tapir_unwind_once(at, sp, moved, &again) != TAPIR_STEP_CALLER)
		return RULE_UNKNOWN;
	if (again.sp == to.sp)
		return tapir_rule_of_call(&model, at, RULE_BY_SP, to.sp - sp);
	return again.sp - to.sp == moved - bp ? tapir_rule_of_call(&model, at, RULE_BY_BP, to.sp - bp) : RULE_UNKNOWN;
}

/* The rule of a place that has none. */
static noinline u64 tapir_rule_make(unsigned long ip, bool exact, char *text)
{
	unsigned long at = exact ? ip : ip - 1;
	u64 place = at - TAPIR_KERNEL_TEXT, rule, facts;
	bool lasting;

	/* The code before a trampoline is not what led there. */
	snprintf(text, TAPIR_WALK_TEXT, "%pS", (void *)ip);
	if (tapir_is_trampoline(text))
		return RULE_UNKNOWN | TAPIR_RULE_SKIP | (place & RULE_PLACE);
	facts = tapir_rule_facts(at, text, &lasting);
	rule = tapir_rule_learn(at) | facts | (place & RULE_PLACE);
	if (lasting && place <= RULE_PLACE)
		WRITE_ONCE(tapir_rules[tapir_rule_slot(place)], rule);
	return rule;
}

u64 tapir_kernel_walk_facts(unsigned long address, bool exact, char *text)
{
	u64 place = (exact ? address : address - 1) - TAPIR_KERNEL_TEXT, rule;

	if (place <= RULE_PLACE) {
		rule = READ_ONCE(tapir_rules[tapir_rule_slot(place)]);
		if (rule && (rule & RULE_PLACE) == place)
			return rule;
	}
	return tapir_rule_make(address, exact, text);
}

/* ---- walks ---- */

/* Reads a word of the stack. `at` is within it and aligned. */
static __always_inline bool tapir_walk_read(const struct tapir_kernel_walk *w, unsigned long at, unsigned long *value)
{
	if (unlikely(w->remote))
		return !copy_from_kernel_nofault(value, (const void *)at, sizeof(*value));
	/* Kernels that check accesses to a stack are not to check this one. */
	*value = READ_ONCE_NOCHECK(*(const unsigned long *)at);
	return true;
}

/* Is there a word of the stack? */
static bool tapir_walk_has(const struct tapir_kernel_walk *w, unsigned long at)
{
	return at >= w->low && at <= w->high - sizeof(at) && !(at % sizeof(at));
}

/* Finds the rule of the frame that `w` is at. */
static __always_inline void tapir_walk_look(struct tapir_kernel_walk *w)
{
	u64 place = w->ip - !w->exact - TAPIR_KERNEL_TEXT, rule;

	if (unlikely(place > RULE_PLACE)) {
		w->state = TAPIR_WALK_LOST;
		return;
	}
	rule = READ_ONCE(tapir_rules[tapir_rule_slot(place)]);
	if (unlikely(!rule || (rule & RULE_PLACE) != place))
		rule = tapir_rule_make(w->ip, w->exact, w->text);
	w->rule = rule;
}

/* Over the registers that an interrupt or a system call has saved. */
static noinline void tapir_walk_registers(struct tapir_kernel_walk *w, unsigned long at)
{
	struct pt_regs regs;

	w->state = TAPIR_WALK_LOST;
	if (!tapir_walk_has(w, at) || at > w->high - sizeof(regs) ||
	    copy_from_kernel_nofault(&regs, (const void *)at, sizeof(regs)))
		return;
	if (user_mode(&regs)) {
		w->state = TAPIR_WALK_END;
		return;
	}
	w->ip = instruction_pointer(&regs);
	w->sp = kernel_stack_pointer(&regs);
	w->bp = frame_pointer(&regs);
	w->bp_at = 0;
	w->exact = 1;
	w->state = tapir_walk_has(w, w->sp) ? TAPIR_WALK_ON : TAPIR_WALK_LOST;
	if (w->state == TAPIR_WALK_ON)
		tapir_walk_look(w);
}

/* The rule has no plain call. */
static noinline void tapir_walk_otherwise(struct tapir_kernel_walk *w, u32 base, unsigned long distance)
{
	if (base == RULE_REGISTERS)
		tapir_walk_registers(w, w->sp + distance);
	else
		w->state = distance ? TAPIR_WALK_LOST : TAPIR_WALK_END;
}

/* Where the frame ends, by its frame pointer, which was saved by a function that it called; 0: not known. */
static noinline unsigned long tapir_walk_end_by_frame(struct tapir_kernel_walk *w, unsigned long distance)
{
	if (w->bp_at == TAPIR_BP_LOST || (w->bp_at && (!tapir_walk_has(w, w->bp_at) || !tapir_walk_read(w, w->bp_at, &w->bp))))
		return 0;
	w->bp_at = 0;
	return w->bp % sizeof(long) ? 0 : w->bp + distance;
}

static __always_inline void tapir_walk_step(struct tapir_kernel_walk *w)
{
	unsigned long distance = (w->rule >> RULE_CFA_SHIFT & RULE_CFA_MASK) * sizeof(long), end;
	u32 base = w->rule >> RULE_BASE_SHIFT & 3, saved = w->rule >> RULE_BP_SHIFT & RULE_BP_MASK;

	if (likely(base == RULE_BY_SP)) {
		end = w->sp + distance;
	} else if (base == RULE_BY_BP) {
		end = tapir_walk_end_by_frame(w, distance);
	} else {
		tapir_walk_otherwise(w, base, distance);
		return;
	}
	/* Stacks grow downwards: a caller's frame is above. */
	if (unlikely(end <= w->sp || end > w->high || !tapir_walk_read(w, end - sizeof(long), &w->ip))) {
		w->state = TAPIR_WALK_LOST;
		return;
	}
	if (saved)
		w->bp_at = saved == RULE_BP_LOST ? TAPIR_BP_LOST : end - saved * sizeof(long);
	w->sp = end;
	w->exact = 0;
	tapir_walk_look(w);
}

void tapir_kernel_walk_step(struct tapir_kernel_walk *w)
{
	tapir_walk_step(w);
}

static void tapir_walk_begin(struct tapir_kernel_walk *w, const struct task_struct *task, char *text)
{
	w->low = (unsigned long)task_stack_page(task);
	w->high = w->low + THREAD_SIZE;
	w->text = text;
	w->bp_at = 0;
	w->state = w->low && tapir_walk_has(w, w->sp) ? TAPIR_WALK_ON : TAPIR_WALK_LOST;
	if (w->state == TAPIR_WALK_ON)
		tapir_walk_look(w);
}

noinline void tapir_kernel_walk_hit(struct tapir_kernel_walk *w, struct tapir_ctx *c)
{
	const struct pt_regs *regs = c->regs;

	w->remote = 0;
	w->exact = regs != NULL;
	if (regs) {
		w->ip = instruction_pointer((struct pt_regs *)regs);
		w->sp = kernel_stack_pointer((struct pt_regs *)regs);
		w->bp = frame_pointer((struct pt_regs *)regs);
	} else {
		bool framed = c->args && c->probe->kind->framed;
		const unsigned long *frame = framed ? container_of(c->args, struct tapir_framed_args, args[0])->frame : NULL;

		if (!(frame ? tapir_unwind_caller_of(frame, w->ip, w->sp, w->bp) : tapir_unwind_own_caller(w->ip, w->sp, w->bp))) {
			w->state = TAPIR_WALK_LOST;
			return;
		}
	}
	tapir_walk_begin(w, current, c->scratch);
}

void tapir_kernel_walk_task(struct tapir_kernel_walk *w, struct task_struct *task, char *text)
{
	w->remote = 1;
	w->exact = 0;
	if (tapir_unwind_asleep(task, &w->ip, &w->sp, &w->bp))
		tapir_walk_begin(w, task, text);
	else
		w->state = TAPIR_WALK_LOST;
}

/* ---- the session ---- */

/* A module's code, or that which only initialised it, is about to be freed; all of it has run. */
static int tapir_walk_module_changes(struct notifier_block *block, unsigned long event, void *data)
{
	const struct module *module = data;
	u32 i;

	if (event != MODULE_STATE_GOING && event != MODULE_STATE_LIVE)
		return NOTIFY_DONE;
	for (i = 0; i < ARRAY_SIZE(tapir_rules); i++) {
		u64 rule = READ_ONCE(tapir_rules[i]);

		if (rule && within_module(TAPIR_KERNEL_TEXT + (rule & RULE_PLACE), module))
			WRITE_ONCE(tapir_rules[i], 0);
	}
	return NOTIFY_DONE;
}
static struct notifier_block tapir_walk_notifier = {.notifier_call = tapir_walk_module_changes};

static int tapir_walks_begin(void)
{
	tapir_sched_text[0] = tapir_symbol_find("__sched_text_start");
	tapir_sched_text[1] = tapir_symbol_find("__sched_text_end");
	tapir_lock_text[0] = tapir_symbol_find("__lock_text_start");
	tapir_lock_text[1] = tapir_symbol_find("__lock_text_end");
	return register_module_notifier(&tapir_walk_notifier);
}

static void tapir_walks_end(void)
{
	unregister_module_notifier(&tapir_walk_notifier);
}

const struct tapir_walk_ops tapir_walk_ops = {.begin = tapir_walks_begin, .end = tapir_walks_end};
