/* SPDX-License-Identifier: GPL-2.0-or-later OR CC0-1.0 */
/*
 * Marks: static probe points in programs and libraries, for C, C++ and assembly.
 *
 *     #include <sys/sdt.h>
 *     STAP_PROBE2(provider, name, request->id, strlen(path));
 *
 * A mark is one nop in the code. A note in the file, which is not loaded, tells tracers and debuggers where the nop is and where
 * its arguments are found: process("FILE").mark("name") of stap, "info probes stap" of GDB, and others. A mark that is not probed
 * costs the nop and the evaluation of its arguments.
 *
 *   STAP_PROBE(provider, name)                     a mark without arguments
 *   STAP_PROBE1(provider, name, a) ...             with 1 to 12 arguments
 *   STAP_PROBE12(provider, name, a, ..., l)
 *   STAP_PROBEV(provider, name, ...)               with as many as there are
 *   DTRACE_PROBE, DTRACE_PROBE1 ... 12             the same by the names that DTrace has
 *
 * Arguments are integers, pointers, arrays, functions, enumerations and floating-point numbers. An array or a function stands for
 * its address. In assembly each argument is an operand with its size before it: STAP_PROBE2(libx, done, 8@%rdi, -4@$5).
 *
 * The asm statements of a program can have marks of their own:
 *
 *   asm("..." STAP_PROBE_ASM(provider, name, 8@%0 -4@%1) : : "r"(pointer), "r"(number));
 *   asm("..." STAP_PROBE_ASM(provider, name, STAP_PROBE_ASM_TEMPLATE(2)) : : STAP_PROBE_ASM_OPERANDS(2, pointer, number));
 *
 * Semaphores are counters that tracers raise while they look. They let a program leave out work that only its marks need. Define
 * _SDT_HAS_SEMAPHORES before this header is included; then each mark has one, provider_name_semaphore. Headers that dtrace makes
 * do so. Without dtrace, STAP_SEMAPHORE defines one, in one file:
 *
 *   STAP_SEMAPHORE(provider, name);
 *   if (provider_name_semaphore) STAP_PROBE1(provider, name, costly());
 *
 * Other settings, all before this header is included:
 *   STAP_SDT_ARG_CONSTRAINT  where arguments may be, by letters of the compiler's asm statements; "nor" is a number, memory or a
 *                            register. Define it as nr or g if the compiler finds no way.
 *   SDT_USE_VARIADIC         accepted; STAP_PROBEV is there without it
 *
 * The note's format is that of https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation and of GDB: by "stapsdt", type 3,
 * in the section .note.stapsdt. Its text is three addresses (the mark, the section .stapsdt.base, the semaphore or 0) and three
 * strings (provider, name, arguments). Each argument is SIZE@OPERAND; SIZE is negative for signed numbers and ends with "f" for
 * floating point. The section .stapsdt.base, of one byte, lets readers notice that the file was moved after it was linked.
 */
#ifndef _SYS_SDT_H
#define _SYS_SDT_H 1

/* clang-format off: the macros are texts of assemblers. */

#ifndef STAP_SDT_ARG_CONSTRAINT
#define STAP_SDT_ARG_CONSTRAINT nor
#endif

#if defined __LP64__ || defined _LP64
#define _TSDT_WORD .8byte
#else
#define _TSDT_WORD .4byte
#endif

#ifdef _SDT_HAS_SEMAPHORES
#define _TSDT_SEMAPHORE(provider, name) provider##_##name##_semaphore
#else
#define _TSDT_SEMAPHORE(provider, name) 0
#endif

/* The text between the brackets, as a string, without replacing macros in it: a program may define nop or weak. */
#define _TSDT_STRING(...) #__VA_ARGS__
/* The same with macros replaced. */
#define _TSDT_EXPANDED(...) _TSDT_STRING(__VA_ARGS__)
#define _TSDT_TOKENS(...) __VA_ARGS__

/*
 * The text of a mark before and behind its arguments, which assemblers of all processors understand. `as` makes a string of it for C, or
 * leaves it as it is. `provider` and `name` are strings.
 */
#define _TSDT_HEAD(as, word, provider, name, semaphore)                         \
	as(6701: nop;                                                           \
	   .pushsection .note.stapsdt, "?", "note";                             \
	   .balign 4;                                                           \
	   .4byte 8, 6703f-6702f, 3;                                            \
	   .asciz "stapsdt";                                                    \
	   6702: word 6701b, _.stapsdt.base, semaphore;                         \
	   .asciz provider;                                                     \
	   .asciz name;)
#define _TSDT_TAIL(as)                                                          \
	as(.byte 0;                                                             \
	   6703: .balign 4;                                                     \
	   .popsection;)
/* The section that moves with the code, once in a file. */
#define _TSDT_BASE(as)                                                          \
	as(.ifndef _.stapsdt.base;                                              \
	   .pushsection .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat; \
	   .weak _.stapsdt.base;                                                \
	   .hidden _.stapsdt.base;                                              \
	   _.stapsdt.base: .space 1;                                            \
	   .size _.stapsdt.base, 1;                                             \
	   .popsection;                                                         \
	   .endif;)

/* Two steps, so that macros in provider and name are replaced. */
#define _TSDT_BEGIN(as, provider, name) _TSDT_BEGIN_OF(as, _TSDT_WORD, provider, name)
#define _TSDT_BEGIN_OF(as, word, provider, name) _TSDT_HEAD(as, word, #provider, #name, _TSDT_SEMAPHORE(provider, name))

#ifdef __ASSEMBLER__

#define _TSDT_PROBE(provider, name, arguments) \
	_TSDT_BEGIN(_TSDT_TOKENS, provider, name) .ascii _TSDT_EXPANDED(arguments); _TSDT_TAIL(_TSDT_TOKENS) _TSDT_BASE(_TSDT_TOKENS)
#define STAP_PROBE(provider, name) _TSDT_PROBE(provider, name, )
#define STAP_PROBE1(provider, name, a) _TSDT_PROBE(provider, name, a)
#define STAP_PROBE2(provider, name, a, b) _TSDT_PROBE(provider, name, a b)
#define STAP_PROBE3(provider, name, a, b, c) _TSDT_PROBE(provider, name, a b c)
#define STAP_PROBE4(provider, name, a, b, c, d) _TSDT_PROBE(provider, name, a b c d)
#define STAP_PROBE5(provider, name, a, b, c, d, e) _TSDT_PROBE(provider, name, a b c d e)
#define STAP_PROBE6(provider, name, a, b, c, d, e, f) _TSDT_PROBE(provider, name, a b c d e f)
#define STAP_PROBE7(provider, name, a, b, c, d, e, f, g) _TSDT_PROBE(provider, name, a b c d e f g)
#define STAP_PROBE8(provider, name, a, b, c, d, e, f, g, h) _TSDT_PROBE(provider, name, a b c d e f g h)
#define STAP_PROBE9(provider, name, a, b, c, d, e, f, g, h, i) _TSDT_PROBE(provider, name, a b c d e f g h i)
#define STAP_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j) _TSDT_PROBE(provider, name, a b c d e f g h i j)
#define STAP_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k) _TSDT_PROBE(provider, name, a b c d e f g h i j k)
#define STAP_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l) _TSDT_PROBE(provider, name, a b c d e f g h i j k l)

#else /* C and C++ */

/* Makes the compiler believe that the semaphore is used, although only the assembler sees its name; refuses one that is not declared. */
#ifdef _SDT_HAS_SEMAPHORES
#define _TSDT_USE(provider, name) __asm__ __volatile__("" : : "m"(provider##_##name##_semaphore));
#else
#define _TSDT_USE(provider, name)
#endif

/* How large arguments are, whether they are signed, and whether they are floating-point numbers. Nothing here is evaluated. */
#ifdef __cplusplus

extern "C++" {
/* 1: signed, 2: floating point. An enumeration is as good as unsigned. */
template <class _Any> struct __tsdt_kind { enum { value = 0 }; };
template <> struct __tsdt_kind<char> { enum { value = static_cast<char>(-1) < static_cast<char>(1) }; };
template <> struct __tsdt_kind<wchar_t> { enum { value = static_cast<wchar_t>(-1) < static_cast<wchar_t>(1) }; };
template <> struct __tsdt_kind<signed char> { enum { value = 1 }; };
template <> struct __tsdt_kind<short> { enum { value = 1 }; };
template <> struct __tsdt_kind<int> { enum { value = 1 }; };
template <> struct __tsdt_kind<long> { enum { value = 1 }; };
__extension__ template <> struct __tsdt_kind<long long> { enum { value = 1 }; };
template <> struct __tsdt_kind<float> { enum { value = 2 }; };
template <> struct __tsdt_kind<double> { enum { value = 2 }; };
template <> struct __tsdt_kind<long double> { enum { value = 2 }; };
/* Never called: the size of what it would return says all. Arrays and functions become pointers as it takes its argument by value. */
template <class _Any> char (&__tsdt_look(_Any))[4 * sizeof(_Any) + __tsdt_kind<_Any>::value];
}
#define _TSDT_SIZE(x) (static_cast<int>(sizeof(__tsdt_look(x)) >> 2) * (sizeof(__tsdt_look(x)) & 1 ? -1 : 1))
#define _TSDT_FLOATS(x) (sizeof(__tsdt_look(x)) >> 1 & 1)

#else

/* As the right side of a comma x is a plain value: an array is a pointer, an atomic or volatile variable is its content. */
#define _TSDT_VALUE(x) (0, (x))
#define _TSDT_CLASS(x) __builtin_classify_type(x)
/* The classes 1 to 4 are integers of some kind. Others count as unsigned. */
#define _TSDT_INTEGER(x) __typeof__(__builtin_choose_expr(_TSDT_CLASS(x) >= 1 && _TSDT_CLASS(x) <= 4, _TSDT_VALUE(x), 0u))
#define _TSDT_SIGNED(x) ((_TSDT_INTEGER(x))-1 < (_TSDT_INTEGER(x))1)
#define _TSDT_SIZE(x) ((int)sizeof(__typeof__(_TSDT_VALUE(x))) * (_TSDT_SIGNED(x) ? -1 : 1))
#define _TSDT_FLOATS(x) (_TSDT_CLASS(x) == 8)

#endif

/*
 * Operands of the asm statement: each argument's size as a number and the argument itself, and one number that has a bit for each
 * argument which is floating point. With 12 arguments these are 25; compilers allow 30.
 */
#define _TSDT_CONSTRAINT _TSDT_EXPANDED(STAP_SDT_ARG_CONSTRAINT)
#define _TSDT_OPERAND(n, x) [sdt_s##n] "n"(_TSDT_SIZE(x)), [sdt_v##n] _TSDT_CONSTRAINT((x))
#define _TSDT_PLACES_1(a) _TSDT_OPERAND(1, a)
#define _TSDT_PLACES_2(a, b) _TSDT_PLACES_1(a), _TSDT_OPERAND(2, b)
#define _TSDT_PLACES_3(a, b, c) _TSDT_PLACES_2(a, b), _TSDT_OPERAND(3, c)
#define _TSDT_PLACES_4(a, b, c, d) _TSDT_PLACES_3(a, b, c), _TSDT_OPERAND(4, d)
#define _TSDT_PLACES_5(a, b, c, d, e) _TSDT_PLACES_4(a, b, c, d), _TSDT_OPERAND(5, e)
#define _TSDT_PLACES_6(a, b, c, d, e, f) _TSDT_PLACES_5(a, b, c, d, e), _TSDT_OPERAND(6, f)
#define _TSDT_PLACES_7(a, b, c, d, e, f, g) _TSDT_PLACES_6(a, b, c, d, e, f), _TSDT_OPERAND(7, g)
#define _TSDT_PLACES_8(a, b, c, d, e, f, g, h) _TSDT_PLACES_7(a, b, c, d, e, f, g), _TSDT_OPERAND(8, h)
#define _TSDT_PLACES_9(a, b, c, d, e, f, g, h, i) _TSDT_PLACES_8(a, b, c, d, e, f, g, h), _TSDT_OPERAND(9, i)
#define _TSDT_PLACES_10(a, b, c, d, e, f, g, h, i, j) _TSDT_PLACES_9(a, b, c, d, e, f, g, h, i), _TSDT_OPERAND(10, j)
#define _TSDT_PLACES_11(a, b, c, d, e, f, g, h, i, j, k) _TSDT_PLACES_10(a, b, c, d, e, f, g, h, i, j), _TSDT_OPERAND(11, k)
#define _TSDT_PLACES_12(a, b, c, d, e, f, g, h, i, j, k, l) _TSDT_PLACES_11(a, b, c, d, e, f, g, h, i, j, k), _TSDT_OPERAND(12, l)
#define _TSDT_BITS_1(a) _TSDT_FLOATS(a)
#define _TSDT_BITS_2(a, b) _TSDT_BITS_1(a) | _TSDT_FLOATS(b) << 1
#define _TSDT_BITS_3(a, b, c) _TSDT_BITS_2(a, b) | _TSDT_FLOATS(c) << 2
#define _TSDT_BITS_4(a, b, c, d) _TSDT_BITS_3(a, b, c) | _TSDT_FLOATS(d) << 3
#define _TSDT_BITS_5(a, b, c, d, e) _TSDT_BITS_4(a, b, c, d) | _TSDT_FLOATS(e) << 4
#define _TSDT_BITS_6(a, b, c, d, e, f) _TSDT_BITS_5(a, b, c, d, e) | _TSDT_FLOATS(f) << 5
#define _TSDT_BITS_7(a, b, c, d, e, f, g) _TSDT_BITS_6(a, b, c, d, e, f) | _TSDT_FLOATS(g) << 6
#define _TSDT_BITS_8(a, b, c, d, e, f, g, h) _TSDT_BITS_7(a, b, c, d, e, f, g) | _TSDT_FLOATS(h) << 7
#define _TSDT_BITS_9(a, b, c, d, e, f, g, h, i) _TSDT_BITS_8(a, b, c, d, e, f, g, h) | _TSDT_FLOATS(i) << 8
#define _TSDT_BITS_10(a, b, c, d, e, f, g, h, i, j) _TSDT_BITS_9(a, b, c, d, e, f, g, h, i) | _TSDT_FLOATS(j) << 9
#define _TSDT_BITS_11(a, b, c, d, e, f, g, h, i, j, k) _TSDT_BITS_10(a, b, c, d, e, f, g, h, i, j) | _TSDT_FLOATS(k) << 10
#define _TSDT_BITS_12(a, b, c, d, e, f, g, h, i, j, k, l) _TSDT_BITS_11(a, b, c, d, e, f, g, h, i, j, k) | _TSDT_FLOATS(l) << 11
#define _TSDT_OPERANDS_0()
#define _TSDT_OPERANDS_1(a) _TSDT_PLACES_1(a), [sdt_f] "n"(_TSDT_BITS_1(a))
#define _TSDT_OPERANDS_2(a, b) _TSDT_PLACES_2(a, b), [sdt_f] "n"(_TSDT_BITS_2(a, b))
#define _TSDT_OPERANDS_3(a, b, c) _TSDT_PLACES_3(a, b, c), [sdt_f] "n"(_TSDT_BITS_3(a, b, c))
#define _TSDT_OPERANDS_4(a, b, c, d) _TSDT_PLACES_4(a, b, c, d), [sdt_f] "n"(_TSDT_BITS_4(a, b, c, d))
#define _TSDT_OPERANDS_5(a, b, c, d, e) _TSDT_PLACES_5(a, b, c, d, e), [sdt_f] "n"(_TSDT_BITS_5(a, b, c, d, e))
#define _TSDT_OPERANDS_6(a, b, c, d, e, f) _TSDT_PLACES_6(a, b, c, d, e, f), [sdt_f] "n"(_TSDT_BITS_6(a, b, c, d, e, f))
#define _TSDT_OPERANDS_7(a, b, c, d, e, f, g) _TSDT_PLACES_7(a, b, c, d, e, f, g), [sdt_f] "n"(_TSDT_BITS_7(a, b, c, d, e, f, g))
#define _TSDT_OPERANDS_8(a, b, c, d, e, f, g, h) _TSDT_PLACES_8(a, b, c, d, e, f, g, h), [sdt_f] "n"(_TSDT_BITS_8(a, b, c, d, e, f, g, h))
#define _TSDT_OPERANDS_9(a, b, c, d, e, f, g, h, i) _TSDT_PLACES_9(a, b, c, d, e, f, g, h, i), [sdt_f] "n"(_TSDT_BITS_9(a, b, c, d, e, f, g, h, i))
#define _TSDT_OPERANDS_10(a, b, c, d, e, f, g, h, i, j) \
	_TSDT_PLACES_10(a, b, c, d, e, f, g, h, i, j), [sdt_f] "n"(_TSDT_BITS_10(a, b, c, d, e, f, g, h, i, j))
#define _TSDT_OPERANDS_11(a, b, c, d, e, f, g, h, i, j, k) \
	_TSDT_PLACES_11(a, b, c, d, e, f, g, h, i, j, k), [sdt_f] "n"(_TSDT_BITS_11(a, b, c, d, e, f, g, h, i, j, k))
#define _TSDT_OPERANDS_12(a, b, c, d, e, f, g, h, i, j, k, l) \
	_TSDT_PLACES_12(a, b, c, d, e, f, g, h, i, j, k, l), [sdt_f] "n"(_TSDT_BITS_12(a, b, c, d, e, f, g, h, i, j, k, l))

/* How the assembler writes an argument: its size, an "f" if its bit is set, and its place. The text begins and ends within a string. */
#ifdef __i386__
#define _TSDT_WHOLE k /* Four registers alone have a name for their lowest byte. */
#else
#define _TSDT_WHOLE
#endif
#define _TSDT_FORMAT_1 %c[sdt_s1]"; .fill (%c[sdt_f] >> 0) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v1]
#define _TSDT_FORMAT_2 %c[sdt_s2]"; .fill (%c[sdt_f] >> 1) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v2]
#define _TSDT_FORMAT_3 %c[sdt_s3]"; .fill (%c[sdt_f] >> 2) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v3]
#define _TSDT_FORMAT_4 %c[sdt_s4]"; .fill (%c[sdt_f] >> 3) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v4]
#define _TSDT_FORMAT_5 %c[sdt_s5]"; .fill (%c[sdt_f] >> 4) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v5]
#define _TSDT_FORMAT_6 %c[sdt_s6]"; .fill (%c[sdt_f] >> 5) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v6]
#define _TSDT_FORMAT_7 %c[sdt_s7]"; .fill (%c[sdt_f] >> 6) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v7]
#define _TSDT_FORMAT_8 %c[sdt_s8]"; .fill (%c[sdt_f] >> 7) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v8]
#define _TSDT_FORMAT_9 %c[sdt_s9]"; .fill (%c[sdt_f] >> 8) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v9]
#define _TSDT_FORMAT_10 %c[sdt_s10]"; .fill (%c[sdt_f] >> 9) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v10]
#define _TSDT_FORMAT_11 %c[sdt_s11]"; .fill (%c[sdt_f] >> 10) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v11]
#define _TSDT_FORMAT_12 %c[sdt_s12]"; .fill (%c[sdt_f] >> 11) & 1, 1, 102; .ascii "@%_TSDT_WHOLE[sdt_v12]
#define _TSDT_TEMPLATE_0
#define _TSDT_TEMPLATE_1 _TSDT_FORMAT_1
#define _TSDT_TEMPLATE_2 _TSDT_TEMPLATE_1 _TSDT_FORMAT_2
#define _TSDT_TEMPLATE_3 _TSDT_TEMPLATE_2 _TSDT_FORMAT_3
#define _TSDT_TEMPLATE_4 _TSDT_TEMPLATE_3 _TSDT_FORMAT_4
#define _TSDT_TEMPLATE_5 _TSDT_TEMPLATE_4 _TSDT_FORMAT_5
#define _TSDT_TEMPLATE_6 _TSDT_TEMPLATE_5 _TSDT_FORMAT_6
#define _TSDT_TEMPLATE_7 _TSDT_TEMPLATE_6 _TSDT_FORMAT_7
#define _TSDT_TEMPLATE_8 _TSDT_TEMPLATE_7 _TSDT_FORMAT_8
#define _TSDT_TEMPLATE_9 _TSDT_TEMPLATE_8 _TSDT_FORMAT_9
#define _TSDT_TEMPLATE_10 _TSDT_TEMPLATE_9 _TSDT_FORMAT_10
#define _TSDT_TEMPLATE_11 _TSDT_TEMPLATE_10 _TSDT_FORMAT_11
#define _TSDT_TEMPLATE_12 _TSDT_TEMPLATE_11 _TSDT_FORMAT_12

#define _TSDT_ASM(provider, name, template) \
	_TSDT_BEGIN(_TSDT_STRING, provider, name) " .ascii \"" _TSDT_EXPANDED(template) "\"; " _TSDT_TAIL(_TSDT_STRING)
#define STAP_PROBE_ASM(provider, name, template) _TSDT_ASM(provider, name, template) _TSDT_BASE(_TSDT_STRING)
#define STAP_PROBE_ASM_TEMPLATE(n) _TSDT_TEMPLATE_##n
#define STAP_PROBE_ASM_OPERANDS(n, ...) _TSDT_OPERANDS_##n(__VA_ARGS__)

#define _TSDT_PROBE(provider, name, n, operands)                                                        \
	do {                                                                                            \
		_TSDT_USE(provider, name)                                                               \
		__asm__ __volatile__(_TSDT_ASM(provider, name, _TSDT_TEMPLATE_##n) : : operands);       \
		__asm__ __volatile__(_TSDT_BASE(_TSDT_STRING));                                         \
	} while (0)
#define STAP_PROBE(provider, name) _TSDT_PROBE(provider, name, 0, )
#define STAP_PROBE1(provider, name, a) _TSDT_PROBE(provider, name, 1, _TSDT_TOKENS(_TSDT_OPERANDS_1(a)))
#define STAP_PROBE2(provider, name, a, b) _TSDT_PROBE(provider, name, 2, _TSDT_TOKENS(_TSDT_OPERANDS_2(a, b)))
#define STAP_PROBE3(provider, name, a, b, c) _TSDT_PROBE(provider, name, 3, _TSDT_TOKENS(_TSDT_OPERANDS_3(a, b, c)))
#define STAP_PROBE4(provider, name, a, b, c, d) _TSDT_PROBE(provider, name, 4, _TSDT_TOKENS(_TSDT_OPERANDS_4(a, b, c, d)))
#define STAP_PROBE5(provider, name, a, b, c, d, e) _TSDT_PROBE(provider, name, 5, _TSDT_TOKENS(_TSDT_OPERANDS_5(a, b, c, d, e)))
#define STAP_PROBE6(provider, name, a, b, c, d, e, f) _TSDT_PROBE(provider, name, 6, _TSDT_TOKENS(_TSDT_OPERANDS_6(a, b, c, d, e, f)))
#define STAP_PROBE7(provider, name, a, b, c, d, e, f, g) _TSDT_PROBE(provider, name, 7, _TSDT_TOKENS(_TSDT_OPERANDS_7(a, b, c, d, e, f, g)))
#define STAP_PROBE8(provider, name, a, b, c, d, e, f, g, h) _TSDT_PROBE(provider, name, 8, _TSDT_TOKENS(_TSDT_OPERANDS_8(a, b, c, d, e, f, g, h)))
#define STAP_PROBE9(provider, name, a, b, c, d, e, f, g, h, i) \
	_TSDT_PROBE(provider, name, 9, _TSDT_TOKENS(_TSDT_OPERANDS_9(a, b, c, d, e, f, g, h, i)))
#define STAP_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j) \
	_TSDT_PROBE(provider, name, 10, _TSDT_TOKENS(_TSDT_OPERANDS_10(a, b, c, d, e, f, g, h, i, j)))
#define STAP_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k) \
	_TSDT_PROBE(provider, name, 11, _TSDT_TOKENS(_TSDT_OPERANDS_11(a, b, c, d, e, f, g, h, i, j, k)))
#define STAP_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l) \
	_TSDT_PROBE(provider, name, 12, _TSDT_TOKENS(_TSDT_OPERANDS_12(a, b, c, d, e, f, g, h, i, j, k, l)))

/* Defines a mark's semaphore: at file scope, and once in a program or library. */
#define STAP_SEMAPHORE(provider, name) \
	volatile unsigned short provider##_##name##_semaphore __attribute__((used, section(".probes")))

#endif

/* The last of these names that 0 to 12 arguments push aside is the macro for that many. */
#define STAP_PROBEV(...) _TSDT_PICK(__VA_ARGS__, \
	STAP_PROBE12, STAP_PROBE11, STAP_PROBE10, STAP_PROBE9, STAP_PROBE8, STAP_PROBE7, STAP_PROBE6, STAP_PROBE5, STAP_PROBE4, STAP_PROBE3, \
	STAP_PROBE2, STAP_PROBE1, STAP_PROBE, )(__VA_ARGS__)
#define _TSDT_PICK(provider, name, a, b, c, d, e, f, g, h, i, j, k, l, macro, ...) macro

#define DTRACE_PROBE(provider, name) STAP_PROBE(provider, name)
#define DTRACE_PROBE1(provider, name, a) STAP_PROBE1(provider, name, a)
#define DTRACE_PROBE2(provider, name, a, b) STAP_PROBE2(provider, name, a, b)
#define DTRACE_PROBE3(provider, name, a, b, c) STAP_PROBE3(provider, name, a, b, c)
#define DTRACE_PROBE4(provider, name, a, b, c, d) STAP_PROBE4(provider, name, a, b, c, d)
#define DTRACE_PROBE5(provider, name, a, b, c, d, e) STAP_PROBE5(provider, name, a, b, c, d, e)
#define DTRACE_PROBE6(provider, name, a, b, c, d, e, f) STAP_PROBE6(provider, name, a, b, c, d, e, f)
#define DTRACE_PROBE7(provider, name, a, b, c, d, e, f, g) STAP_PROBE7(provider, name, a, b, c, d, e, f, g)
#define DTRACE_PROBE8(provider, name, a, b, c, d, e, f, g, h) STAP_PROBE8(provider, name, a, b, c, d, e, f, g, h)
#define DTRACE_PROBE9(provider, name, a, b, c, d, e, f, g, h, i) STAP_PROBE9(provider, name, a, b, c, d, e, f, g, h, i)
#define DTRACE_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j) STAP_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j)
#define DTRACE_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k) STAP_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k)
#define DTRACE_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l) STAP_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l)

#endif
