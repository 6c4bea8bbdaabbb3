/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/netfilter.h>, the same in all kernels from 5.10 to 7.2: it declares no registration without CONFIG_NETFILTER, and warns of
 * families the kernel was built without. Scripts with such hooks are refused before. */
#ifndef TAPIR_COMPAT_NETFILTER_H
#define TAPIR_COMPAT_NETFILTER_H

#include <linux/errno.h>
#include <linux/netfilter.h>

static inline int tapir_hook_register(struct net *net, const struct nf_hook_ops *ops)
{
#ifdef CONFIG_NETFILTER
	if ((ops->pf == NFPROTO_ARP && !IS_ENABLED(CONFIG_NETFILTER_FAMILY_ARP)) ||
	    (ops->pf == NFPROTO_BRIDGE && !IS_ENABLED(CONFIG_NETFILTER_FAMILY_BRIDGE)))
		return -EAFNOSUPPORT;
	return nf_register_net_hook(net, ops);
#else
	return -EOPNOTSUPP;
#endif
}

static inline void tapir_hook_unregister(struct net *net, const struct nf_hook_ops *ops)
{
#ifdef CONFIG_NETFILTER
	nf_unregister_net_hook(net, ops);
#endif
}

#endif
