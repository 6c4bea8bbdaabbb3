/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#include <asm/unwind_hints.h>

/* In pt_regs, where a handler looks for them. */
#define R9  64
#define R8  72
#define RAX 80
#define RCX 88
#define RDX 96
#define RSI 104
#define RDI 112
#define RSP 152
#define ALL 168

/* Code that is called indirectly, or looks so because its address is taken, begins with this. */
.macro landing
#ifdef CONFIG_X86_KERNEL_IBT
	endbr64
#endif
.endm

/* rax matters to functions with `...`. The caller's stack pointer is `above` bytes above rbp. */
.macro enter handler, above
	pushq	%rbp
	movq	%rsp, %rbp
	subq	$ALL, %rsp
	movq	%r9, R9(%rsp)
	movq	%r8, R8(%rsp)
	movq	%rax, RAX(%rsp)
	movq	%rcx, RCX(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rsi, RSI(%rsp)
	movq	%rdi, RDI(%rsp)
	leaq	\above(%rbp), %rax
	movq	%rax, RSP(%rsp)
	movq	%rsp, %rdi
	call	\handler
	movq	R9(%rsp), %r9
	movq	R8(%rsp), %r8
	movq	RAX(%rsp), %rax
	movq	RCX(%rsp), %rcx
	movq	RDX(%rsp), %rdx
	movq	RSI(%rsp), %rsi
	movq	RDI(%rsp), %rdi
.endm

.macro around handler
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_JMP
	enter	\handler, 16
#else
	enter	\handler, 24
#endif
	call	direct_call_body
	movq	%rax, RAX(%rsp)
	movq	%rdx, RDX(%rsp)
	movq	%rsp, %rdi
	call	direct_leave
	movq	RAX(%rsp), %rax
	movq	RDX(%rsp), %rdx
	leave
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_JMP
	addq	$8, %rsp
	UNWIND_HINT_FUNC
#endif
	RET
.endm

SYM_FUNC_START(direct_at_entry)
	landing
	enter	direct_hit, 24
	leave
	RET
SYM_FUNC_END(direct_at_entry)

SYM_FUNC_START(direct_at_exit)
	landing
	around	direct_enter
SYM_FUNC_END(direct_at_exit)

SYM_FUNC_START(direct_at_both)
	landing
	around	direct_enter_hit
SYM_FUNC_END(direct_at_both)
