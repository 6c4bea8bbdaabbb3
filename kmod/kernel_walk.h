/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over kernel stacks that remember, for each place in code, how to find the caller of its function, and what is known of the
 * function. The kernel's unwinder is asked once for each place. Then a frame costs some thirty instructions, and a stack needs no
 * reference: that of another task is read as memory that may be gone. Linked when a script asks where threads wait.
 */
#ifndef TAPIR_KERNEL_WALK_H
#define TAPIR_KERNEL_WALK_H

#include <linux/sched.h>
#include <linux/types.h>
#include <tapir/abi.h>

struct tapir_ctx;

struct tapir_walk_ops {
	/* Before the first handler; may sleep. -errno: nothing is kept. */
	int (*begin)(void);
	/* After the last one. May sleep. */
	void (*end)(void);
};
extern const struct tapir_walk_ops tapir_walk_ops __weak;

static inline bool tapir_has_walks(void)
{
	return &tapir_walk_ops != NULL;
}

/*
 * Arguments of a hit, and the frame of the function that the kernel called for it: its caller's frame pointer, and where that goes
 * on. A walk begins there, not at the handler.
 */
struct tapir_framed_args {
	const unsigned long *frame;
	u64 args[TAPIR_TRACE_ARGS];
};

#define TAPIR_WALK_TEXT 256u /* bytes of room for a symbol */

enum tapir_walk_state {
	TAPIR_WALK_ON,
	TAPIR_WALK_END,	 /* the outermost frame was the last one */
	TAPIR_WALK_LOST, /* who called the last one is not known */
};

#define TAPIR_BP_LOST 1ul

struct tapir_kernel_walk {
	unsigned long ip;	 /* where the frame's function is, or goes on */
	unsigned long sp, bp;	 /* its registers */
	unsigned long bp_at;	 /* `bp` is saved there; 0: it is known; TAPIR_BP_LOST */
	unsigned long low, high; /* the stack's bounds */
	u64 rule;		 /* of `ip` */
	char *text;		 /* TAPIR_WALK_TEXT bytes */
	u8 exact;		 /* `ip` was interrupted; else it is a return address */
	u8 remote;		 /* the stack is another task's */
	u8 state;		 /* enum tapir_walk_state */
};

/* A rule says this, too, besides how to find the caller. */
#define TAPIR_RULE_SKIP	      (1ull << 54) /* it is the module's own code, or the scheduler's or a lock's */
#define TAPIR_RULE_WEAK	      (1ull << 60) /* TAPIR_WAIT_WEAK */
#define TAPIR_RULE_KIND_SHIFT 55	   /* enum tapir_wait_kind */
#define TAPIR_RULE_KIND_MASK  31u

static inline u32 tapir_rule_kind(u64 rule)
{
	return rule >> TAPIR_RULE_KIND_SHIFT & TAPIR_RULE_KIND_MASK;
}

/*
 * Begins a walk at the place of a hit. A hit without registers begins where its frame says that the caller goes on; without such
 * a frame, where the caller of this does. The first frame is ready in `w` if the state is ON. LOST: only the kernel's unwinder can
 * walk this stack. Any context.
 */
void tapir_kernel_walk_hit(struct tapir_kernel_walk *w, struct tapir_ctx *c);
/* Begins a walk over the stack of another task, which is on no processor. Under RCU; any context. */
void tapir_kernel_walk_task(struct tapir_kernel_walk *w, struct task_struct *task, char *text);
/* Goes to the caller, if the state is ON. */
void tapir_kernel_walk_step(struct tapir_kernel_walk *w);
/* Returns what is known of a place on a stack that the kernel's unwinder has walked: a rule of which only the facts count. */
u64 tapir_kernel_walk_facts(unsigned long address, bool exact, char *text);

#endif
