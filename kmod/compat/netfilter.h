/* SPDX-License-Identifier: GPL-2.0-or-later */
/* <linux/netfilter.h>: it declares no registration without CONFIG_NETFILTER. Scripts with hooks are refused for such kernels. */
#ifndef TAPIR_COMPAT_NETFILTER_H
#define TAPIR_COMPAT_NETFILTER_H

#include <linux/errno.h>
#include <linux/netfilter.h>

static inline int tapir_hook_register(struct net *net, const struct nf_hook_ops *ops)
{
#ifdef CONFIG_NETFILTER
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
