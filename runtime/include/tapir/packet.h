/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A netfilter probe's packet. In other probes, everything is 0 and "". */
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

	TAPIR_PACKET_LENGTH = TAPIR_PACKET_GIVEN, /* bytes, usually from the network header on */
	TAPIR_PACKET_NETWORK,			  /* address of the network header */
	TAPIR_PACKET_TRANSPORT,			  /* address of the TCP or UDP header, 0 for other protocols and later fragments */
	TAPIR_PACKET_PROTOCOL,			  /* of what IP carries; at a bridge, the LLC protocol or the EtherType */
	TAPIR_PACKET_SOURCE_PORT,
	TAPIR_PACKET_DESTINATION_PORT,
	TAPIR_PACKET_TCP_FLAGS, /* FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32 */
};

#define TAPIR_MAC_BYTES 32 /* as the kernel has at most */

/* args[0] of such a hit points to one. */
struct tapir_packet {
	s64 given[TAPIR_PACKET_GIVEN];
};

s64 tapir_packet_field(struct tapir_ctx *c, u32 field);
void tapir_packet_set_verdict(struct tapir_ctx *c, s64 verdict);
/* Get an IP address as text, and the name of the device the packet came in through or goes out by; "" if it has none. */
void tapir_packet_address(struct tapir_ctx *c, bool source, char *dst, u32 cap);
void tapir_packet_device(struct tapir_ctx *c, bool in, char *dst, u32 cap);
/* Get that device's hardware address: its length in bytes, or 0, and its text "00:11:22:33:44:55". */
s64 tapir_packet_mac_length(struct tapir_ctx *c, bool in);
void tapir_packet_mac(struct tapir_ctx *c, bool in, char *dst, u32 cap);
/* Gets the bytes that TAPIR_PACKET_LENGTH counts, as far as they fit: as hexadecimal digits, or in double quotes with C escapes. */
void tapir_packet_data(struct tapir_ctx *c, bool quoted, char *dst, u32 cap);
/* The big-endian number of 1 to 6 bytes at an offset from the network header; -1: the packet does not have these bytes. */
s64 tapir_packet_number(struct tapir_ctx *c, s64 offset, s64 bytes);

/* The port's. Any context in which the packet is valid. */
s64 tapir_port_packet_field(const struct tapir_packet *packet, u32 field);
void tapir_port_packet_address(const struct tapir_packet *packet, bool source, char *dst, u32 cap);
void tapir_port_packet_device(const struct tapir_packet *packet, bool in, char *dst, u32 cap);
/* Up to TAPIR_MAC_BYTES of the device's hardware address; how many it has. */
u32 tapir_port_packet_mac(const struct tapir_packet *packet, bool in, u8 *address);
/* Bytes of the packet's data, or from its network header on. False: not all of them are there. */
bool tapir_port_packet_bytes(const struct tapir_packet *packet, bool network, u32 offset, void *to, u32 bytes);

#endif
