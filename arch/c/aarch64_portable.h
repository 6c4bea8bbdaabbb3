/* SPDX-License-Identifier: GPL-2.0-or-later */
/* AArch64 for the portable runtime; see portable.h. */
#ifndef TAPIR_ARCH_AARCH64_PORTABLE_H
#define TAPIR_ARCH_AARCH64_PORTABLE_H

#include <tapir/types.h>

/* DWARF for the Arm 64-bit Architecture, table 3. */
#define TAPIR_SAVED_LIST(X)                                                                                                        \
	X(0, 0, regs[0])                                                                                                           \
	X(1, 8, regs[1])                                                                                                           \
	X(2, 16, regs[2])                                                                                                          \
	X(3, 24, regs[3])                                                                                                          \
	X(4, 32, regs[4])                                                                                                          \
	X(5, 40, regs[5])                                                                                                          \
	X(6, 48, regs[6])                                                                                                          \
	X(7, 56, regs[7])                                                                                                          \
	X(8, 64, regs[8])                                                                                                          \
	X(9, 72, regs[9])                                                                                                          \
	X(10, 80, regs[10])                                                                                                        \
	X(11, 88, regs[11])                                                                                                        \
	X(12, 96, regs[12])                                                                                                        \
	X(13, 104, regs[13])                                                                                                       \
	X(14, 112, regs[14])                                                                                                       \
	X(15, 120, regs[15])                                                                                                       \
	X(16, 128, regs[16])                                                                                                       \
	X(17, 136, regs[17])                                                                                                       \
	X(18, 144, regs[18])                                                                                                       \
	X(19, 152, regs[19])                                                                                                       \
	X(20, 160, regs[20])                                                                                                       \
	X(21, 168, regs[21])                                                                                                       \
	X(22, 176, regs[22])                                                                                                       \
	X(23, 184, regs[23])                                                                                                       \
	X(24, 192, regs[24])                                                                                                       \
	X(25, 200, regs[25])                                                                                                       \
	X(26, 208, regs[26])                                                                                                       \
	X(27, 216, regs[27])                                                                                                       \
	X(28, 224, regs[28])                                                                                                       \
	X(29, 232, regs[29])                                                                                                       \
	X(30, 240, regs[30])                                                                                                       \
	X(31, 248, sp)                                                                                                             \
	X(32, 256, pc)
#define TAPIR_SAVED_REGISTERS 33
typedef u16 tapir_saved_offset;

/* x0 to x7 */
#define TAPIR_ARGUMENT_REGISTERS 0xffu

/* Atomics of the compiler: without LSE an update is a loop, which an interrupt makes begin anew. */
#define TAPIR_ATOMIC_WORDS 1

#endif
