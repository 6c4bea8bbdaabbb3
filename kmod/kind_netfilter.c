// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netfilter.hook: packets, in every network namespace. Handlers run where the kernel filters: in softirqs
 * and in processes that send.
 */
#include <linux/errno.h>
#include <linux/netdevice.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <tapir/packet.h>
#include "compat/netfilter.h"
#include "hit.h"
#include "kind.h"
#include "report.h"

struct tapir_filter {
	struct tapir_hook hook;
	struct nf_hook_ops ops;
};
static struct tapir_filter *tapir_filters;
static u32 tapir_nfilters;

/* Others need more than their number (a stolen packet must be freed), or could go on for ever. */
static unsigned int tapir_filter_verdict(s64 verdict)
{
	return verdict == NF_DROP ? NF_DROP : NF_ACCEPT;
}

static unsigned int tapir_filter_hit(void *private, struct sk_buff *skb, const struct nf_hook_state *state)
{
	const struct tapir_filter *f = private;
	struct tapir_packet packet = {.given = {
					  [TAPIR_PACKET_SKB] = (uintptr_t)skb,
					  [TAPIR_PACKET_IN] = (uintptr_t)state->in,
					  [TAPIR_PACKET_OUT] = (uintptr_t)state->out,
					  [TAPIR_PACKET_STATE] = (uintptr_t)state,
					  [TAPIR_PACKET_HOOK] = state->hook,
					  [TAPIR_PACKET_FAMILY] = state->pf,
					  [TAPIR_PACKET_VERDICT] = NF_ACCEPT,
				      }};
	const u64 args[] = {(uintptr_t)&packet};
	struct tapir_hit_data hit = {.args = args, .handler = f->hook.probe->handler};

	preempt_disable();
	tapir_hit_at(&f->hook, &hit);
	preempt_enable();
	return tapir_filter_verdict(packet.given[TAPIR_PACKET_VERDICT]);
}

/* ---- network namespaces ---- */

static void tapir_filters_unregister(struct net *net, u32 count)
{
	while (count--)
		tapir_hook_unregister(net, &tapir_filters[count].ops);
}

static int __net_init tapir_filters_net_init(struct net *net)
{
	u32 i;

	for (i = 0; i < tapir_nfilters; i++) {
		int error = tapir_hook_register(net, &tapir_filters[i].ops);

		if (!error)
			continue;
		tapir_filters_unregister(net, i);
		return error;
	}
	return 0;
}

static void tapir_filters_net_exit(struct net *net)
{
	tapir_filters_unregister(net, tapir_nfilters);
}

static struct pernet_operations tapir_filters_net_ops = {
    .init = tapir_filters_net_init,
    .exit = tapir_filters_net_exit,
};
static bool tapir_filters_registered;

/* ---- arming ---- */

static void tapir_netfilter_disarm(void)
{
	if (tapir_filters_registered)
		unregister_pernet_subsys(&tapir_filters_net_ops);
	tapir_filters_registered = false;
	/* Packets may still be on their way through. */
	synchronize_net();
	kfree(tapir_filters);
	tapir_filters = NULL;
	tapir_nfilters = 0;
}

static int tapir_netfilter_arm(void)
{
	u32 i, count = tapir_kind_probes(&tapir_kind_netfilter);
	int error;

	tapir_filters = kcalloc(count, sizeof(*tapir_filters), GFP_KERNEL);
	if (!tapir_filters) {
		tapir_session_fail(TAPIR_TEXT(NoMemoryNetfilter), count);
		return -ENOMEM;
	}
	for (i = 0; i < tapir_module.nprobes; i++) {
		const struct tapir_netfilter_arg *arg = tapir_module.probes[i].arg;
		struct tapir_filter *f = &tapir_filters[tapir_nfilters];

		if (tapir_module.probes[i].kind != &tapir_kind_netfilter)
			continue;
		f->hook = tapir_hook_of(i);
		f->ops = (struct nf_hook_ops){
		    .hook = tapir_filter_hit,
		    .priv = f,
		    .pf = arg->family,
		    .hooknum = arg->hook,
		    .priority = arg->priority,
		};
		tapir_nfilters++;
		tapir_ledger_add_attached(i, 1);
	}
	error = register_pernet_subsys(&tapir_filters_net_ops);
	if (error) {
		tapir_session_fail(TAPIR_TEXT(NetfilterRefused), ERR_PTR(error));
		tapir_netfilter_disarm();
		return error;
	}
	tapir_filters_registered = true;
	return 0;
}

const struct tapir_kind_ops tapir_kind_netfilter = {
    TAPIR_KIND_LISTED(netfilter),
    TAPIR_KIND_WAY(Packet),
    .arm = tapir_netfilter_arm,
    .disarm = tapir_netfilter_disarm,
};
