// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kernel.trace. The kernel calls a tracepoint's probes with its arguments like a C function. Our probes take the largest possible
 * number of arguments as 64-bit numbers and hand them on in an array. The upper bits of a narrower argument are undefined: handlers
 * look only at as many as its type has.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include "compat/tracepoint.h"
#include "condition.h"
#include "hit.h"
#include "kernel_walk.h"
#include "kind.h"
#include "modules.h"
#include "report.h"
#include "state.h"

/* Arguments that every architecture passes in registers, besides the pointer that probes get first. */
#define TAPIR_TRACE_FEW 5

struct tapir_trace {
	struct tapir_hook hook;
	const struct tapir_tracepoint_arg *arg;
	struct tracepoint *tracepoint; /* NULL: this kernel has none of the name, or its module is not loaded */
	void *callback;
	bool armed;
	bool came; /* its module, at some time */
};
static struct tapir_trace *tapir_traces; /* one per probe of the kind */
static u32 tapir_ntraces;

/* ---- hits ---- */

static void tapir_trace_slow(const struct tapir_hook *hook, const u64 *args, unsigned long ip)
{
	struct tapir_hit_data hit = {.ip = ip, .args = args, .handler = hook->probe->handler};

	tapir_hit_at(hook, &hit);
}

static void tapir_trace_few(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[] = {a, b, c, d, e};

	tapir_tracepoint_enter();
	tapir_trace_slow(&((struct tapir_trace *)data)->hook, args, _RET_IP_);
	tapir_tracepoint_leave();
}

static void tapir_trace_many(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i, u64 j, u64 k, u64 l)
{
	const u64 args[TAPIR_TRACE_ARGS] = {a, b, c, d, e, f, g, h, i, j, k, l};

	tapir_tracepoint_enter();
	tapir_trace_slow(&((struct tapir_trace *)data)->hook, args, _RET_IP_);
	tapir_tracepoint_leave();
}

/* The same while the session walks kernel stacks. Walks begin with the frame. */
static void tapir_trace_few_framed(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const struct tapir_framed_args framed = {__builtin_frame_address(0), {a, b, c, d, e}};

	tapir_tracepoint_enter();
	tapir_trace_slow(&((struct tapir_trace *)data)->hook, framed.args, _RET_IP_);
	tapir_tracepoint_leave();
}

static void tapir_trace_many_framed(void *data, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h, u64 i, u64 j, u64 k, u64 l)
{
	const struct tapir_framed_args framed = {__builtin_frame_address(0), {a, b, c, d, e, f, g, h, i, j, k, l}};

	tapir_tracepoint_enter();
	tapir_trace_slow(&((struct tapir_trace *)data)->hook, framed.args, _RET_IP_);
	tapir_tracepoint_leave();
}

/*
 * The first few probes without a condition call their handlers directly, without an indirect branch and its mitigations. A leaf
 * gets the arguments in the registers they came in.
 */
static void tapir_trace_no_handler(struct tapir_ctx *c)
{
}

static void tapir_trace_no_leaf(u32 cpu, u64 a, u64 b, u64 c, u64 d, u64 e)
{
}

/* While probes are off, or timed. Not inline: the array would cost those that do not come here. */
static noinline void tapir_trace_leaf_slow(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)
{
	const u64 args[] = {a, b, c, d, e};

	tapir_trace_slow(&((struct tapir_trace *)data)->hook, args, 0);
}

#define TAPIR_TRACE_OWN 4
static struct tapir_hook tapir_trace_own[TAPIR_TRACE_OWN];

#define TAPIR_TRACE_HITS(n)                                                                                                        \
	DEFINE_STATIC_CALL(tapir_trace_handler_##n, tapir_trace_no_handler);                                                       \
	DEFINE_STATIC_CALL(tapir_trace_leaf_##n, tapir_trace_no_leaf);                                                             \
                                                                                                                                   \
	static void tapir_trace_leaf_hit_##n(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)                                        \
	{                                                                                                                          \
		tapir_tracepoint_enter();                                                                                          \
		if (tapir_hit_is_plain()) {                                                                                        \
			static_call(tapir_trace_leaf_##n)(raw_smp_processor_id(), a, b, c, d, e);                                  \
			this_cpu_inc(tapir_trace_own[n].cell->handled);                                                            \
		} else {                                                                                                           \
			tapir_trace_leaf_slow(data, a, b, c, d, e);                                                                \
		}                                                                                                                  \
		tapir_tracepoint_leave();                                                                                          \
	}                                                                                                                          \
                                                                                                                                   \
	static TAPIR_NO_STACK_PROTECTOR void tapir_trace_hit_##n(void *data, u64 a, u64 b, u64 c, u64 d, u64 e)                    \
	{                                                                                                                          \
		const u64 args[] = {a, b, c, d, e};                                                                                \
                                                                                                                                   \
		tapir_tracepoint_enter();                                                                                          \
		if (tapir_hit_is_plain()) {                                                                                        \
			struct tapir_ctx *ctx = tapir_enter(&tapir_trace_own[n], NULL, _RET_IP_);                                  \
                                                                                                                                   \
			if (TAPIR_LIKELY(ctx)) {                                                                                   \
				ctx->args = args;                                                                                  \
				static_call(tapir_trace_handler_##n)(ctx);                                                         \
				tapir_leave(ctx, &tapir_trace_own[n]);                                                             \
			}                                                                                                          \
		} else {                                                                                                           \
			tapir_trace_slow(&tapir_trace_own[n], args, _RET_IP_);                                                     \
		}                                                                                                                  \
		tapir_tracepoint_leave();                                                                                          \
	}                                                                                                                          \
                                                                                                                                   \
	static void *tapir_trace_bind_##n(const struct tapir_probe *probe)                                                         \
	{                                                                                                                          \
		if (probe->leaf.arguments) {                                                                                       \
			static_call_update(tapir_trace_leaf_##n, probe->leaf.arguments);                                           \
			return tapir_trace_leaf_hit_##n;                                                                           \
		}                                                                                                                  \
		static_call_update(tapir_trace_handler_##n, probe->handler);                                                       \
		return tapir_trace_hit_##n;                                                                                        \
	}

TAPIR_TRACE_HITS(0)
TAPIR_TRACE_HITS(1)
TAPIR_TRACE_HITS(2)
TAPIR_TRACE_HITS(3)

static void *(*const tapir_trace_bind[TAPIR_TRACE_OWN])(const struct tapir_probe *probe) = {
    tapir_trace_bind_0,
    tapir_trace_bind_1,
    tapir_trace_bind_2,
    tapir_trace_bind_3,
};

/* ---- the kind ---- */

/* One of the kernel's own tracepoints. Called with the kernel's lock on them. */
static void tapir_trace_seen(struct tracepoint *tracepoint, void *unused)
{
	u32 i;

	for (i = 0; i < tapir_ntraces; i++)
		if (!tapir_traces[i].arg->module && !strcmp(tapir_traces[i].arg->name, tracepoint->name))
			tapir_traces[i].tracepoint = tracepoint;
}

static int tapir_trace_attach(struct tapir_trace *t)
{
	int error = tracepoint_probe_register(t->tracepoint, t->callback, t);

	t->armed = !error;
	return error;
}

static void tapir_trace_detach(struct tapir_trace *t)
{
	if (t->armed)
		tracepoint_probe_unregister(t->tracepoint, t->callback, t);
	t->armed = false;
}

static bool tapir_trace_must(const struct tapir_trace *t)
{
	return !t->arg->wildcard && !t->arg->optional;
}

/* ---- modules that come and go ---- */

/*
 * Held while attaching and detaching, which the session thread and those that load and unload modules do. The latter hold the
 * kernel's lock on the list of modules with tracepoints, which also (un)registering the notifier takes: not under this one.
 */
static DEFINE_MUTEX(tapir_trace_mutex);
static bool tapir_trace_ending; /* nothing is attached any more */

static void tapir_trace_came(struct tapir_trace *t, struct tracepoint *tracepoint)
{
	u32 probe = t->hook.probe - tapir_module.probes;
	int error = 0;

	t->tracepoint = tracepoint;
	if (tapir_probe_wanted(probe))
		error = tapir_trace_attach(t);
	if (error && tapir_trace_must(t))
		tapir_session_note(TAPIR_TEXT(TracepointStaysOff), t->hook.probe->point, ERR_PTR(error));
	if (!error && !t->came)
		tapir_ledger_add_attached(probe, 1);
	t->came = true;
}

/* True if one of our tracepoints is the module's. */
static bool tapir_trace_is_ours(const struct module *module)
{
	u32 i;

	for (i = 0; i < tapir_ntraces; i++)
		if (tapir_traces[i].arg->module && !strcmp(tapir_traces[i].arg->module, module->name))
			return true;
	return false;
}

static void tapir_trace_look(struct module *module)
{
	u32 i, k;

	if (tapir_trace_ending || !tapir_trace_is_ours(module) || !tapir_module_fits(module))
		return;
	for (i = 0; i < module->num_tracepoints; i++) {
		struct tracepoint *tracepoint = tracepoint_ptr_deref(&module->tracepoints_ptrs[i]);

		for (k = 0; k < tapir_ntraces; k++)
			if (!tapir_traces[k].tracepoint && tapir_traces[k].arg->module &&
			    !strcmp(tapir_traces[k].arg->module, module->name) &&
			    !strcmp(tapir_traces[k].arg->name, tracepoint->name))
				tapir_trace_came(&tapir_traces[k], tracepoint);
	}
}

/* Before the memory of its tracepoints goes, and after its code ran for the last time. */
static void tapir_trace_forget(const struct module *module)
{
	u32 i;

	for (i = 0; i < tapir_ntraces; i++) {
		struct tapir_trace *t = &tapir_traces[i];

		if (!t->arg->module || strcmp(t->arg->module, module->name))
			continue;
		tapir_trace_detach(t);
		t->tracepoint = NULL;
	}
}

static int tapir_trace_hear(struct notifier_block *block, unsigned long state, void *data)
{
	struct module *module = ((struct tp_module *)data)->mod;

	mutex_lock(&tapir_trace_mutex);
	if (state == MODULE_STATE_COMING)
		tapir_trace_look(module);
	else if (state == MODULE_STATE_GOING)
		tapir_trace_forget(module);
	mutex_unlock(&tapir_trace_mutex);
	return NOTIFY_DONE;
}

static struct notifier_block tapir_trace_listener = {.notifier_call = tapir_trace_hear};
static bool tapir_trace_listens;

/* The kernel reports tracepoints of loaded modules at once. */
static void tapir_trace_listen(void)
{
	u32 i;

	for (i = 0; i < tapir_ntraces && !tapir_trace_listens; i++)
		if (tapir_traces[i].arg->module)
			tapir_trace_listens = !register_tracepoint_module_notifier(&tapir_trace_listener);
}

static void tapir_trace_listen_no_more(void)
{
	if (tapir_trace_listens)
		unregister_tracepoint_module_notifier(&tapir_trace_listener);
	tapir_trace_listens = false;
}

/* ---- arming ---- */

/*
 * A task that unloads a module waits here, or the notifier hears of it before. So while the notifier is registered, no module goes
 * with a probe attached. Unregister it without this lock.
 */
static void tapir_trace_detach_all(void)
{
	u32 i;

	mutex_lock(&tapir_trace_mutex);
	tapir_trace_ending = true;
	for (i = 0; i < tapir_ntraces; i++) {
		tapir_trace_detach(&tapir_traces[i]);
		tapir_traces[i].tracepoint = NULL;
		cond_resched();
	}
	mutex_unlock(&tapir_trace_mutex);
}

static void tapir_trace_disarm(void)
{
	u32 i;

	tapir_trace_detach_all();
	tapir_trace_listen_no_more();
	for (i = 0; i < tapir_ntraces; i++) {
		const struct tapir_trace *t = &tapir_traces[i];

		if (t->arg->module && !t->came && tapir_trace_must(t) && !atomic_read(&tapir_session.failed))
			tapir_session_warn(TAPIR_TEXT(TracepointNotHit), t->hook.probe->point, t->arg->module);
	}
	tracepoint_synchronize_unregister();
	kvfree(tapir_traces);
	tapir_traces = NULL;
	tapir_ntraces = 0;
}

static void tapir_trace_rearm(void)
{
	u32 i;

	mutex_lock(&tapir_trace_mutex);
	for (i = 0; i < tapir_ntraces && !tapir_session_ending(); i++) {
		struct tapir_trace *t = &tapir_traces[i];
		bool wanted = tapir_probe_wanted(t->hook.probe - tapir_module.probes);

		if (!wanted)
			tapir_trace_detach(t);
		else if (t->tracepoint && !t->armed && tapir_trace_attach(t))
			tapir_session_fail(TAPIR_TEXT(ProbeNotRearmed), t->hook.probe->point);
		cond_resched();
	}
	mutex_unlock(&tapir_trace_mutex);
}

/* Finds the callbacks: direct calls for the first few. */
static void tapir_trace_prepare(void)
{
	u32 i, own = 0;

	for (i = 0; i < tapir_ntraces; i++) {
		struct tapir_trace *t = &tapir_traces[i];
		const struct tapir_probe *probe = t->hook.probe;
		bool few = t->arg->nargs <= TAPIR_TRACE_FEW;

		t->callback = few ? (void *)tapir_trace_few : (void *)tapir_trace_many;
		if (tapir_has_walks() && !probe->leaf.arguments) {
			t->callback = few ? (void *)tapir_trace_few_framed : (void *)tapir_trace_many_framed;
			continue;
		}
		if (own == TAPIR_TRACE_OWN || probe->condition || (!few && !probe->leaf.arguments))
			continue;
		tapir_trace_own[own] = t->hook;
		t->callback = tapir_trace_bind[own++](probe);
	}
}

static int tapir_trace_arm_one(struct tapir_trace *t)
{
	u32 probe = t->hook.probe - tapir_module.probes;
	int error = -ENOENT;

	if (t->arg->module)
		return 0;
	if (t->tracepoint)
		error = tapir_probe_wanted(probe) ? tapir_trace_attach(t) : 0;
	tapir_ledger_add_attached(probe, !error);
	if (!error || !tapir_trace_must(t))
		return 0;
	if (t->tracepoint)
		tapir_session_fail(TAPIR_TEXT(TracepointRefused), t->hook.probe->point, ERR_PTR(error));
	else
		tapir_session_fail(TAPIR_TEXT(NoTracepoint), t->hook.probe->point, t->arg->name);
	return error;
}

static int tapir_trace_arm(void)
{
	u32 i, count = tapir_kind_probes(&tapir_kind_tracepoint);
	int error = 0;

	tapir_traces = kvcalloc(max(count, 1u), sizeof(*tapir_traces), GFP_KERNEL);
	if (!tapir_traces) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryTracepoints), count);
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes; i++) {
		if (tapir_module.probes[i].kind != &tapir_kind_tracepoint)
			continue;
		tapir_traces[tapir_ntraces].hook = tapir_hook_of(i);
		tapir_traces[tapir_ntraces].arg = tapir_module.probes[i].arg;
		tapir_ntraces++;
	}
	tapir_trace_ending = false;
	for_each_kernel_tracepoint(tapir_trace_seen, NULL);
	tapir_trace_prepare();
	for (i = 0; i < tapir_ntraces && !error && !tapir_session_ending(); i++) {
		error = tapir_trace_arm_one(&tapir_traces[i]);
		cond_resched();
	}
	if (error)
		tapir_trace_disarm();
	else
		tapir_trace_listen();
	return error;
}

const struct tapir_kind_ops tapir_kind_tracepoint = {
    TAPIR_KIND_LISTED(tracepoint), TAPIR_KIND_WAY(Tracepoint),	 .arm = tapir_trace_arm,
    .rearm = tapir_trace_rearm,	   .disarm = tapir_trace_disarm, .framed = true,
};
