// SPDX-License-Identifier: GPL-2.0-or-later
/* Fields of a packet: see tapir/packet.h. */
#include <tapir/packet.h>
#include <tapir/string.h>
#include <tapir/text.h>
#include <tapir/work.h>

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

s64 tapir_packet_mac_length(struct tapir_ctx *c, bool in)
{
	const struct tapir_packet *packet = packet_of(c);
	u8 address[TAPIR_MAC_BYTES];

	return packet ? tapir_port_packet_mac(packet, in, address) : 0;
}

static char hex_digit(u8 value)
{
	return "0123456789abcdef"[value & 15];
}

void tapir_packet_mac(struct tapir_ctx *c, bool in, char *dst, u32 cap)
{
	const struct tapir_packet *packet = packet_of(c);
	u8 address[TAPIR_MAC_BYTES];
	u32 length = packet ? tapir_port_packet_mac(packet, in, address) : 0, used = 0, i;

	for (i = 0; i < length && used + 4 <= cap; i++) {
		if (i)
			dst[used++] = ':';
		dst[used++] = hex_digit(address[i] >> 4);
		dst[used++] = hex_digit(address[i]);
	}
	dst[used] = 0;
	if (i < length)
		tapir_count_cut(TAPIR_CUT_STRING, cap);
}

void tapir_packet_data(struct tapir_ctx *c, bool quoted, char *dst, u32 cap)
{
	const struct tapir_packet *packet = packet_of(c);
	u32 length = packet ? tapir_port_packet_field(packet, TAPIR_PACKET_LENGTH) : 0;
	u32 limit = quoted ? cap : (cap - 1) / 2, i;
	u8 *bytes = c->scratch;

	if (limit > length)
		limit = length;
	if (limit > TAPIR_SCRATCH_BYTES)
		limit = TAPIR_SCRATCH_BYTES;
	tapir_work(c, limit * (u64)TAPIR_WORK_BYTE_LOOKED);
	if (!packet || !tapir_port_packet_bytes(packet, false, 0, bytes, limit)) {
		tapir_str_copy(dst, "", cap);
		return;
	}
	if (quoted) {
		tapir_bytes_escape(dst, (const char *)bytes, length, cap, limit, true);
		return;
	}
	for (i = 0; i < limit; i++) {
		dst[2 * i] = hex_digit(bytes[i] >> 4);
		dst[2 * i + 1] = hex_digit(bytes[i]);
	}
	dst[2 * limit] = 0;
	if (length > (cap - 1) / 2)
		tapir_count_cut(TAPIR_CUT_STRING, cap);
}

s64 tapir_packet_number(struct tapir_ctx *c, s64 offset, s64 bytes)
{
	const struct tapir_packet *packet = packet_of(c);
	u8 raw[6];
	u64 value = 0;
	s64 i;

	if (!packet || offset < 0 || offset > 0xffff || bytes < 1 || bytes > (s64)sizeof(raw))
		return -1;
	if (!tapir_port_packet_bytes(packet, true, offset, raw, bytes))
		return -1;
	for (i = 0; i < bytes; i++)
		value = value << 8 | raw[i];
	return (s64)value;
}
