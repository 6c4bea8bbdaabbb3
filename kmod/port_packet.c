// SPDX-License-Identifier: GPL-2.0-or-later
/* The port API: fields of a packet at a netfilter hook. Linked when a script asks for one. */
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/kernel.h>
#include <linux/netdevice.h>
#include <linux/netfilter.h>
#include <linux/skbuff.h>
#include <linux/string.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <tapir/packet.h>
#include <tapir/string.h>

static const struct sk_buff *tapir_skb(const struct tapir_packet *packet)
{
	return (const struct sk_buff *)(uintptr_t)packet->given[TAPIR_PACKET_SKB];
}

/*
 * The protocol that IP carries and where its header begins: -1 in later fragments. At a bridge, the LLC protocol or the EtherType.
 * -1: neither.
 */
static int tapir_packet_protocol(const struct tapir_packet *packet, int *offset)
{
	const struct sk_buff *skb = tapir_skb(packet);
	int at = skb_network_offset(skb);
	struct iphdr copy4;
	struct ipv6hdr copy6;
	const struct iphdr *ip;
	const struct ipv6hdr *ip6;
	__be16 fragment = 0;
	u8 next, sap;

	*offset = -1;
	switch (packet->given[TAPIR_PACKET_FAMILY]) {
	case NFPROTO_IPV4:
		ip = skb_header_pointer(skb, at, sizeof(copy4), &copy4);
		if (!ip)
			return -1;
		if (!(ip->frag_off & htons(IP_OFFSET)))
			*offset = at + ip->ihl * 4;
		return ip->protocol;
	case NFPROTO_IPV6:
		ip6 = skb_header_pointer(skb, at, sizeof(copy6), &copy6);
		if (!ip6)
			return -1;
		next = ip6->nexthdr;
		at = ipv6_skip_exthdr(skb, at + sizeof(*ip6), &next, &fragment);
		if (!(fragment & htons(IP6_OFFSET)))
			*offset = at;
		return next;
	case NFPROTO_BRIDGE:
		/* An 802.3 frame begins with its service access point. */
		if (skb->protocol == htons(ETH_P_802_2))
			return skb_copy_bits(skb, at, &sap, sizeof(sap)) ? -1 : sap;
		return ntohs(skb->protocol);
	default:
		return -1;
	}
}

/* The ports and flags of TCP and UDP, which begin alike. */
static s64 tapir_packet_transport(const struct tapir_packet *packet, u32 field)
{
	const struct sk_buff *skb = tapir_skb(packet);
	int offset, protocol = tapir_packet_protocol(packet, &offset);
	const struct udphdr *ports;
	const u8 *tcp;
	u8 tcp_copy[14];
	struct udphdr copy;

	if (offset < 0 || (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP))
		return 0;
	switch (field) {
	case TAPIR_PACKET_TRANSPORT:
		return (uintptr_t)skb->data + offset;
	case TAPIR_PACKET_TCP_FLAGS:
		tcp = protocol == IPPROTO_TCP ? skb_header_pointer(skb, offset, sizeof(tcp_copy), tcp_copy) : NULL;
		return tcp ? tcp[13] & 0x3f : 0;
	default:
		ports = skb_header_pointer(skb, offset, sizeof(copy), &copy);
		if (!ports)
			return 0;
		return ntohs(field == TAPIR_PACKET_SOURCE_PORT ? ports->source : ports->dest);
	}
}

s64 tapir_port_packet_field(const struct tapir_packet *packet, u32 field)
{
	const struct sk_buff *skb = tapir_skb(packet);
	int offset;

	switch (field) {
	case TAPIR_PACKET_LENGTH:
		return skb->len;
	case TAPIR_PACKET_NETWORK:
		return (uintptr_t)skb_network_header(skb);
	case TAPIR_PACKET_PROTOCOL:
		return max(tapir_packet_protocol(packet, &offset), 0);
	default:
		return tapir_packet_transport(packet, field);
	}
}

void tapir_port_packet_address(const struct tapir_packet *packet, bool source, char *dst, u32 cap)
{
	const struct sk_buff *skb = tapir_skb(packet);
	struct iphdr copy4;
	struct ipv6hdr copy6;
	const struct iphdr *ip;
	const struct ipv6hdr *ip6;
	u32 length = 0;

	if (packet->given[TAPIR_PACKET_FAMILY] == NFPROTO_IPV4) {
		ip = skb_header_pointer(skb, skb_network_offset(skb), sizeof(copy4), &copy4);
		if (ip)
			length = snprintf(dst, cap, "%pI4", source ? &ip->saddr : &ip->daddr);
	} else if (packet->given[TAPIR_PACKET_FAMILY] == NFPROTO_IPV6) {
		ip6 = skb_header_pointer(skb, skb_network_offset(skb), sizeof(copy6), &copy6);
		if (ip6)
			length = snprintf(dst, cap, "%pI6c", source ? &ip6->saddr : &ip6->daddr);
	}
	if (length >= cap)
		tapir_count_cut(TAPIR_CUT_STRING, cap);
}

static const struct net_device *tapir_packet_net_device(const struct tapir_packet *packet, bool in)
{
	return (const struct net_device *)(uintptr_t)packet->given[in ? TAPIR_PACKET_IN : TAPIR_PACKET_OUT];
}

void tapir_port_packet_device(const struct tapir_packet *packet, bool in, char *dst, u32 cap)
{
	const struct net_device *device = tapir_packet_net_device(packet, in);

	if (device)
		strscpy(dst, device->name, min_t(size_t, cap, IFNAMSIZ));
}

u32 tapir_port_packet_mac(const struct tapir_packet *packet, bool in, u8 *address)
{
	const struct net_device *device = tapir_packet_net_device(packet, in);
	u32 length = device ? min_t(u32, device->addr_len, TAPIR_MAC_BYTES) : 0;

	if (length)
		memcpy(address, device->dev_addr, length);
	return length;
}

bool tapir_port_packet_bytes(const struct tapir_packet *packet, bool network, u32 offset, void *to, u32 bytes)
{
	const struct sk_buff *skb = tapir_skb(packet);

	return !skb_copy_bits(skb, network ? (int)(skb_network_offset(skb) + offset) : (int)offset, to, bytes);
}
