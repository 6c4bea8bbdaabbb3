/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies and the like, which LLVM has no code for where the length is not constant: bpf/compile calls them. */
#ifndef TAPIR_BPF_MEMORY_H
#define TAPIR_BPF_MEMORY_H

#include <tapir/types.h>

void tapir_bpf_copy(char *to, const char *from, u64 bytes);
void tapir_bpf_move(char *to, const char *from, u64 bytes);
/* `word`: the byte eight times. */
void tapir_bpf_set(char *to, u64 word, u64 bytes);

#endif
