// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * net/socket.c (socketcall) and ipc/syscall.c (ipc) say how the arguments are packed. Only 32-bit programs have these calls where
 * Tapir runs, so everything in memory is 32 bits wide.
 */
#include <linux/ipc.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/string.h>
#include <tapir/port.h>
#include "syscall_parts.h"

#define TAPIR_PARTS_ARGUMENTS 6

/* Indexed by number, SYS_SOCKET being 1. */
static const u8 tapir_socketcall_arguments[] = {0, 3, 3, 3, 2, 3, 3, 3, 4, 4, 4, 6, 6, 2, 5, 5, 3, 3, 4, 5, 4};

static void tapir_words(u64 address, u32 *words, u32 count)
{
	if (tapir_port_read_user(words, address, count * sizeof(*words)))
		memset(words, 0, count * sizeof(*words));
}

static u8 tapir_socketcall_part(u64 *args)
{
	u32 words[TAPIR_PARTS_ARGUMENTS] = {0}, i;
	u64 part = (u32)args[0];

	if (!part || part >= ARRAY_SIZE(tapir_socketcall_arguments))
		return 0;
	tapir_words(args[1], words, tapir_socketcall_arguments[part]);
	for (i = 0; i < TAPIR_PARTS_ARGUMENTS; i++)
		args[i] = words[i];
	return part;
}

static u8 tapir_ipc_part(u64 *args)
{
	u64 first = args[1], second = args[2], third = args[3], pointer = args[4], fifth = args[5];
	u32 words[2], part = args[0] & 0xffff, version = (u32)args[0] >> 16;
	u64 own[TAPIR_PARTS_ARGUMENTS] = {first, second, third};

	switch (part) {
	case SEMOP:
	case SEMTIMEDOP:
		own[1] = pointer;
		own[2] = second;
		own[3] = part == SEMTIMEDOP ? fifth : 0;
		break;
	case SEMCTL:
		tapir_words(pointer, words, 1);
		own[3] = words[0];
		break;
	case MSGSND:
		own[1] = pointer;
		own[2] = second;
		own[3] = third;
		break;
	case MSGRCV:
		if (!version) {
			tapir_words(pointer, words, 2);
			pointer = words[0];
			fifth = words[1];
		}
		own[1] = pointer;
		own[2] = second;
		own[3] = fifth;
		own[4] = third;
		break;
	case MSGCTL:
	case SHMCTL:
		own[2] = pointer;
		break;
	case SHMAT:
		own[1] = pointer;
		own[2] = second;
		break;
	case SHMDT:
		own[0] = pointer;
		own[1] = own[2] = 0;
		break;
	case SEMGET:
	case SHMGET:
		break;
	case MSGGET:
		own[2] = 0;
		break;
	default:
		return 0;
	}
	memcpy(args, own, sizeof(own));
	return part;
}

u8 tapir_syscall_part(bool ipc, u64 *args)
{
	return ipc ? tapir_ipc_part(args) : tapir_socketcall_part(args);
}
