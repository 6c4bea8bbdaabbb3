// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses and control messages of sockets. */
#include "syscall_internal.h"

#define TAPIR_AF_UNIX	   1
#define TAPIR_AF_INET	   2
#define TAPIR_AF_INET6	   10
#define TAPIR_AF_NETLINK   16
#define TAPIR_AF_PACKET	   17
#define TAPIR_UNIX_PATH	   108
#define TAPIR_CONTROL_MOST 16

static u32 tapir_be16(const u8 *p)
{
	return p[0] << 8 | p[1];
}

static u32 tapir_le32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

static u32 tapir_be32(const u8 *p)
{
	return (u32)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

static void tapir_add_number(struct tapir_text *t, const char *before, u64 n, const char *after)
{
	tapir_text_add(t, before);
	tapir_text_unsigned(t, n);
	tapir_text_add(t, after);
}

static void tapir_show_inet(struct tapir_text *t, const u8 *a)
{
	u32 i;

	for (i = 0; i < 4; i++)
		tapir_add_number(t, i ? "." : "", a[i], "");
}

/* RFC 5952: the longest run of at least two zero groups, the first of equal ones, is "::". */
static void tapir_show_inet6(struct tapir_text *t, const u8 *a)
{
	u32 start = 8, length = 1, i, run = 0;

	for (i = 0; i < 8; i++) {
		run = tapir_be16(a + 2 * i) ? 0 : run + 1;
		if (run > length) {
			length = run;
			start = i + 1 - run;
		}
	}
	if (start == 0 && (length == 6 || (length == 5 && tapir_be16(a + 10) == 0xffff))) {
		tapir_text_add(t, length == 6 ? "::" : "::ffff:");
		tapir_show_inet(t, a + 12);
		return;
	}
	for (i = 0; i < 8; i++) {
		if (i == start) {
			tapir_text_add(t, "::");
			i += length - 1;
			continue;
		}
		if (i && i != start + length)
			tapir_text_char(t, ':');
		tapir_text_digits(t, tapir_be16(a + 2 * i), 16);
	}
}

static bool tapir_show_unix(struct tapir_text *t, u64 address, u64 length)
{
	u64 bytes = length - 2 < TAPIR_UNIX_PATH ? length - 2 : TAPIR_UNIX_PATH;
	u8 first;
	u32 n;

	if (length == 2)
		return true;
	if (tapir_port_read_user(&first, address + 2, 1))
		return false;
	tapir_text_add(t, ", sun_path=");
	if (!first) {
		tapir_text_char(t, '@');
		return tapir_text_bytes(t, address + 3, bytes - 1, TAPIR_UNIX_PATH);
	}
	for (n = 0; n < bytes; n++) {
		u8 c;

		if (tapir_port_read_user(&c, address + 2 + n, 1))
			return false;
		if (!c)
			break;
	}
	return tapir_text_bytes(t, address + 2, n, TAPIR_UNIX_PATH);
}

static void tapir_show_packet(struct tapir_text *t, const u8 *a)
{
	tapir_text_add(t, ", sll_protocol=htons(");
	tapir_text_hex(t, tapir_be16(a + 2));
	tapir_add_number(t, "), sll_ifindex=", tapir_le32(a + 4), "");
	tapir_text_add(t, ", sll_hatype=");
	tapir_text_unsigned(t, a[8] | a[9] << 8);
	tapir_add_number(t, ", sll_pkttype=", a[10], "");
	tapir_add_number(t, ", sll_halen=", a[11], "");
}

/* Those of the families that are shown in full; more than any address has for the others. */
static u32 tapir_sockaddr_bytes(u16 family)
{
	switch (family) {
	case TAPIR_AF_INET:
		return 16;
	case TAPIR_AF_INET6:
		return 28;
	case TAPIR_AF_NETLINK:
		return 12;
	case TAPIR_AF_PACKET:
		return 20;
	default:
		return ~0u;
	}
}

bool tapir_show_sockaddr(struct tapir_text *t, const struct tapir_names *families, u64 address, u64 length)
{
	u16 family = 0;
	u8 a[28] = {0};
	u32 known;

	length &= 0xffffffff;
	if (length < 2 || length > 128 || tapir_port_read_user(&family, address, 2))
		return false;
	known = tapir_sockaddr_bytes(family);
	tapir_text_add(t, "{sa_family=");
	tapir_show_enum(t, families, family, 0xffff);
	if (length < known && family != TAPIR_AF_UNIX)
		family = 0;
	if (family && family != TAPIR_AF_UNIX && tapir_port_read_user(a, address, known))
		return false;
	switch (family) {
	case TAPIR_AF_UNIX:
		if (!tapir_show_unix(t, address, length))
			return false;
		break;
	case TAPIR_AF_INET:
		tapir_add_number(t, ", sin_port=htons(", tapir_be16(a + 2), "), sin_addr=inet_addr(\"");
		tapir_show_inet(t, a + 4);
		tapir_text_add(t, "\")");
		break;
	case TAPIR_AF_INET6:
		tapir_add_number(t, ", sin6_port=htons(", tapir_be16(a + 2), ")");
		tapir_add_number(t, ", sin6_flowinfo=htonl(", tapir_be32(a + 4), "), inet_pton(AF_INET6, \"");
		tapir_show_inet6(t, a + 8);
		tapir_add_number(t, "\", &sin6_addr), sin6_scope_id=", tapir_le32(a + 24), "");
		break;
	case TAPIR_AF_NETLINK:
		tapir_add_number(t, ", nl_pid=", tapir_le32(a + 4), ", nl_groups=");
		for (known = 0; known < 8; known++)
			tapir_text_char(t, "0123456789abcdef"[tapir_le32(a + 8) >> (28 - 4 * known) & 15]);
		break;
	case TAPIR_AF_PACKET:
		tapir_show_packet(t, a);
		break;
	default:
		if (length > 2) {
			tapir_text_add(t, ", sa_data=");
			if (!tapir_text_bytes(t, address + 2, length - 2, TAPIR_SHOW_ITEMS))
				return false;
		}
		break;
	}
	tapir_text_char(t, '}');
	return true;
}

static bool tapir_show_control_data(struct tapir_text *t, u64 address, u64 length, s32 level, s32 type)
{
	static const char *const names[] = {"pid", "uid", "gid"};
	s32 value;
	u32 i;

	if (level != 1 || (type != 1 && type != 2)) {
		tapir_text_add(t, ", cmsg_data=");
		return tapir_text_bytes(t, address, length, TAPIR_SHOW_ITEMS);
	}
	tapir_text_add(t, type == 1 ? ", cmsg_data=[" : ", cmsg_data={");
	for (i = 0; i < length / 4 && (type == 1 || i < 3); i++) {
		if (i)
			tapir_text_add(t, ", ");
		if (i == TAPIR_SHOW_ITEMS) {
			tapir_text_add(t, "...");
			break;
		}
		if (tapir_port_read_user(&value, address + 4 * i, 4))
			return false;
		if (type == 2) {
			tapir_text_add(t, names[i]);
			tapir_text_char(t, '=');
		}
		tapir_text_signed(t, value);
	}
	tapir_text_char(t, type == 1 ? ']' : '}');
	return true;
}

bool tapir_show_control(struct tapir_text *t, u64 address, u64 length, bool narrow)
{
	static const char *const socket_types[] = {"SCM_RIGHTS", "SCM_CREDENTIALS", "SCM_SECURITY"};
	u32 word = narrow ? 4 : 8, head = word + 8, n;
	u64 at = 0;

	tapir_text_char(t, '[');
	for (n = 0; at + head <= length && !tapir_text_full(t); n++) {
		u64 bytes = 0;
		s32 kind[2];

		if (tapir_port_read_user(&bytes, address + at, word) ||
		    tapir_port_read_user(kind, address + at + word, sizeof(kind)))
			return false;
		if (n)
			tapir_text_add(t, ", ");
		if (n == TAPIR_CONTROL_MOST) {
			tapir_text_add(t, "...");
			break;
		}
		tapir_add_number(t, "{cmsg_len=", bytes, ", cmsg_level=");
		if (kind[0] == 1)
			tapir_text_add(t, "SOL_SOCKET");
		else
			tapir_text_signed(t, kind[0]);
		tapir_text_add(t, ", cmsg_type=");
		if (kind[0] == 1 && kind[1] >= 1 && kind[1] <= 3)
			tapir_text_add(t, socket_types[kind[1] - 1]);
		else
			tapir_text_hex(t, (u32)kind[1]);
		if (bytes < head || bytes > length - at) {
			tapir_text_char(t, '}');
			break;
		}
		if (bytes > head && !tapir_show_control_data(t, address + at + head, bytes - head, kind[0], kind[1]))
			return false;
		tapir_text_char(t, '}');
		at += (bytes + word - 1) & ~(u64)(word - 1);
	}
	tapir_text_char(t, ']');
	return true;
}

/* For AF_INET and AF_INET6. */
void tapir_sockaddr_part(u64 address, s64 length, u32 part, char *dst, u32 cap)
{
	struct tapir_text t = {.dst = dst, .cap = cap};
	u16 family = 0;
	u8 a[28];
	u32 known;

	dst[0] = 0;
	if (length < 2 || length > 128 || tapir_port_read_user(&family, address, 2))
		return;
	known = tapir_sockaddr_bytes(family);
	if ((family != TAPIR_AF_INET && family != TAPIR_AF_INET6) || length < known || tapir_port_read_user(a, address, known))
		return;
	if (part == TAPIR_SOCKADDR_PORT)
		tapir_text_unsigned(&t, tapir_be16(a + 2));
	else if (part == TAPIR_SOCKADDR_IP && family == TAPIR_AF_INET)
		tapir_show_inet(&t, a + 4);
	else if (part == TAPIR_SOCKADDR_IP)
		tapir_show_inet6(&t, a + 8);
	else if (family == TAPIR_AF_INET6)
		tapir_text_unsigned(&t, part == TAPIR_SOCKADDR_FLOWINFO ? tapir_be32(a + 4) : tapir_le32(a + 24));
	tapir_text_done(&t);
}
