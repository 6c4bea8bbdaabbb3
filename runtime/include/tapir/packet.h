/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a netfilter probe tells about its packet. Elsewhere than in such a probe, everything is 0 and "". */
#ifndef TAPIR_PACKET_H
#define TAPIR_PACKET_H

#include <tapir/context.h>

enum tapir_packet_field {
	TAPIR_PACKET_SKB, /* struct sk_buff *, struct net_device *, struct net_device *, struct nf_hook_state * */
	TAPIR_PACKET_IN,
	TAPIR_PACKET_OUT,
	TAPIR_PACKET_STATE,
	TAPIR_PACKET_HOOK,
	TAPIR_PACKET_FAMILY,
	TAPIR_PACKET_VERDICT,
	TAPIR_PACKET_GIVEN, /* those before this one are in a struct tapir_packet */

	TAPIR_PACKET_LENGTH = TAPIR_PACKET_GIVEN, /* bytes, from the network header on */
	TAPIR_PACKET_NETWORK,			  /* address of the network header */
	TAPIR_PACKET_TRANSPORT,			  /* address of the TCP or UDP header, 0 for other protocols and later fragments */
	TAPIR_PACKET_PROTOCOL,			  /* of what IP carries */
	TAPIR_PACKET_SOURCE_PORT,
	TAPIR_PACKET_DESTINATION_PORT,
	TAPIR_PACKET_TCP_FLAGS, /* FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32 */
};

/* args[0] of such a hit points to one. */
struct tapir_packet {
	s64 given[TAPIR_PACKET_GIVEN];
};

s64 tapir_packet_field(struct tapir_ctx *c, u32 field);
void tapir_packet_set_verdict(struct tapir_ctx *c, s64 verdict);
/* An IP address as text, and the name of the device the packet came in through or goes out by; "" if there is none. */
void tapir_packet_address(struct tapir_ctx *c, bool source, char *dst, u32 cap);
void tapir_packet_device(struct tapir_ctx *c, bool in, char *dst, u32 cap);

/* The port's. Any context in which the packet is valid. */
s64 tapir_port_packet_field(const struct tapir_packet *packet, u32 field);
void tapir_port_packet_address(const struct tapir_packet *packet, bool source, char *dst, u32 cap);
void tapir_port_packet_device(const struct tapir_packet *packet, bool in, char *dst, u32 cap);

#endif
