/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls as text. Data controls how each argument is shown: the translator makes it from its tables (tapsets/.table files)
 * for the probed calls. Texts have the forms of strace(1) as far as they are known at the entry. Callable in any handler context;
 * bounded by the text's capacity and TAPIR_SHOW_ITEMS. Unreadable memory raises no error: the text shows its address.
 */
#ifndef TAPIR_SYSCALL_H
#define TAPIR_SYSCALL_H

#include <tapir/types.h>

#define TAPIR_SHOW_ITEMS	32   /* elements shown of an array, bytes shown of a buffer; "..." stands for the rest */
#define TAPIR_SHOW_DEPTH	6    /* structures in arrays in structures ... */
#define TAPIR_SHOW_ALONE	0xff /* tapir_show.other: needs no other */
#define TAPIR_SYSCALL_ARGUMENTS 6

enum tapir_show_kind {
	TAPIR_SHOW_NONE, /* not shown at all */
	/* The value itself. */
	TAPIR_SHOW_SIGNED,
	TAPIR_SHOW_UNSIGNED,
	TAPIR_SHOW_HEX,
	TAPIR_SHOW_OCTAL,   /* permissions: three digits at least */
	TAPIR_SHOW_MODE,    /* S_IFREG|0644 */
	TAPIR_SHOW_POINTER, /* NULL or hex */
	TAPIR_SHOW_FLAGS,   /* of: tapir_names */
	TAPIR_SHOW_ENUM,    /* of: tapir_names */
	TAPIR_SHOW_DIRFD,   /* AT_FDCWD or a number */
	TAPIR_SHOW_SIGNAL,
	TAPIR_SHOW_DEVICE, /* makedev(0x8, 0x1) */
	TAPIR_SHOW_CHOICE, /* of: tapir_choice; by the value of `other` */
	/* The value is a user address; these show the memory there. */
	TAPIR_SHOW_STRING,	/* quoted, to its NUL */
	TAPIR_SHOW_BYTES,	/* quoted; `other` has their number */
	TAPIR_SHOW_STRINGS,	/* of pointers to strings, ended by NULL: ["a", "b"] */
	TAPIR_SHOW_ENVIRONMENT, /* of pointers to strings, ended by NULL: how many */
	TAPIR_SHOW_SIGSET,	/* [INT TERM]; `other`, if any, has its size */
	TAPIR_SHOW_FDSET,	/* [0 3]; `other` has the number of descriptors */
	TAPIR_SHOW_SOCKADDR,	/* `other` has its length */
	TAPIR_SHOW_CONTROL,	/* control messages of a socket; `other` has their length */
	TAPIR_SHOW_TO,		/* one value, in brackets. of: tapir_show */
	TAPIR_SHOW_STRUCT,	/* of: tapir_struct */
	TAPIR_SHOW_ARRAY,	/* of: tapir_show of an element; `other` has the number, or `count` is it */
	/* In a structure: what begins right there. */
	TAPIR_SHOW_TEXT_HERE,	/* text in `count` bytes */
	TAPIR_SHOW_SIGSET_HERE, /* `count` bytes */
	TAPIR_SHOW_RECORD_HERE, /* of: tapir_struct */
	TAPIR_SHOW_ARRAY_HERE,	/* of: tapir_show of an element, `count` */
	TAPIR_SHOW_KINDS
};

/* How a value is shown. `at` is an argument's number, from 0, or a field's offset. [1] is for 32-bit programs. */
struct tapir_show {
	u8 kind;    /* enum tapir_show_kind */
	u8 other;   /* which of the same list completes it: index, or TAPIR_SHOW_ALONE */
	u8 size[2]; /* bytes of the value: 1, 2, 4, 8, or 0: 8, 4. 8 of a 32-bit program's argument: that and the next one, low half
		       first */
	u16 at[2];
	u16 count;
	const char *name; /* shown before it, with "="; or NULL */
	const void *of;
};

/* A name shows where (value & mask) == its value. Flags of several bits come before their parts; 0 with a full mask names the
 * absence of all flags. */
struct tapir_name {
	u64 value, mask;
	const char *name;
};
struct tapir_names {
	u32 count;
	const struct tapir_name *names;
	const char *unknown; /* said of values without a name, which are shown in hex: "O_???"; or NULL */
	u8 plain;	     /* values without a name are plain numbers instead */
	u8 permissions;	     /* the rest of flags is shown in octal */
};

struct tapir_struct {
	u16 size[2];
	u16 nfields;
	const struct tapir_show *fields;
};

/* The first case whose (other & mask) == value is taken; `show` of it stands for the argument or field. The last has mask 0, value
 * 0. */
struct tapir_choice_case {
	u64 value, mask;
	const struct tapir_show *show;
};
struct tapir_choice {
	u32 count;
	const struct tapir_choice_case *cases;
};

enum tapir_result { TAPIR_RESULT_SIGNED, TAPIR_RESULT_HEX, TAPIR_RESULT_OCTAL, TAPIR_RESULT_NONE };

/* A call of one ABI. */
struct tapir_syscall {
	const char *name;
	const struct tapir_show *args; /* NULL when no texts are asked for */
	u8 nargs;
	u8 result; /* enum tapir_result: how retstr shows a result that is not an error */
};

/*
 * `args`: the six arguments as the kernel hands them over; of a 32-bit program (`narrow`), zero-extended. `index` is of
 * tapir_syscall.args. `dst` is a string buffer of `cap` bytes. With no descriptors the results are "" and 0.
 */
void tapir_syscall_argstr(const struct tapir_syscall *call, const u64 *args, bool narrow, char *dst, u32 cap);
/* One argument as in argstr, without its name. */
void tapir_syscall_text(const struct tapir_syscall *call, const u64 *args, bool narrow, u32 index, char *dst, u32 cap);
/* Gives the plain text of an argument that is text: no quotes, no escapes. Otherwise as tapir_syscall_text(). */
void tapir_syscall_unquoted(const struct tapir_syscall *call, const u64 *args, bool narrow, u32 index, char *dst, u32 cap);
/* The argument's value, extended as its type says. */
s64 tapir_syscall_number(const struct tapir_syscall *call, const u64 *args, bool narrow, u32 index);
/* "3", "-2 (ENOENT)", "0x7f0000000000"; "?" of a call that has no result. `call` may be NULL. */
void tapir_syscall_retstr(const struct tapir_syscall *call, s64 result, char *dst, u32 cap);

/* A part of the internet address at a user address; "" if it has none. */
enum tapir_sockaddr_part { TAPIR_SOCKADDR_IP, TAPIR_SOCKADDR_PORT, TAPIR_SOCKADDR_FLOWINFO, TAPIR_SOCKADDR_SCOPE_ID };
void tapir_sockaddr_part(u64 address, s64 length, u32 part, char *dst, u32 cap);

/* Returns "ENOENT" for 2, and also names that only the kernel knows; NULL for an unknown number. */
const char *tapir_errno_name(s64 number);
/* "SIGKILL" for 9, "SIGRT_1" for 33; an unknown number's digits. */
void tapir_signal_name(s64 number, char *dst, u32 cap);

#endif
