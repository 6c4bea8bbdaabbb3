/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Macros for the frames of emitted functions. */
#ifndef TAPIR_FRAME_H
#define TAPIR_FRAME_H

#include <tapir/types.h>

/* Bytes that the runtime and an interrupt may need on the machine's stack below a recursive function. */
#define TAPIR_STACK_RESERVE 2048

/* Bytes of frame memory that a frame takes: frames stay aligned. */
#define TAPIR_FRAME_BYTES(type) (((u32)sizeof(type) + 15u) & ~15u)
#define TAPIR_LARGER(a, b)	((a) > (b) ? (a) : (b))
/* Bytes of `count` frames of so many; more than any machine gives to a context are TAPIR_FRAMES_MOST. */
#define TAPIR_FRAMES_MOST	   0x7fff0000u
#define TAPIR_FRAMES(bytes, count) ((u64)(bytes) * (count) < TAPIR_FRAMES_MOST ? (bytes) * (count) : TAPIR_FRAMES_MOST)

#endif
