// SPDX-License-Identifier: GPL-2.0-or-later
#include <tapir/packet.h>
#include <tapir/string.h>

static struct tapir_packet *packet_of(struct tapir_ctx *c)
{
	return c->args && c->probe->kind == &tapir_kind_netfilter ? (struct tapir_packet *)(unsigned long)c->args[0] : NULL;
}

s64 tapir_packet_field(struct tapir_ctx *c, u32 field)
{
	const struct tapir_packet *packet = packet_of(c);

	if (!packet)
		return 0;
	return field < TAPIR_PACKET_GIVEN ? packet->given[field] : tapir_port_packet_field(packet, field);
}

void tapir_packet_set_verdict(struct tapir_ctx *c, s64 verdict)
{
	struct tapir_packet *packet = packet_of(c);

	if (packet)
		packet->given[TAPIR_PACKET_VERDICT] = verdict;
}

void tapir_packet_address(struct tapir_ctx *c, bool source, char *dst, u32 cap)
{
	const struct tapir_packet *packet = packet_of(c);

	tapir_str_copy(dst, "", cap);
	if (packet)
		tapir_port_packet_address(packet, source, dst, cap);
}

void tapir_packet_device(struct tapir_ctx *c, bool in, char *dst, u32 cap)
{
	const struct tapir_packet *packet = packet_of(c);

	tapir_str_copy(dst, "", cap);
	if (packet)
		tapir_port_packet_device(packet, in, dst, cap);
}
