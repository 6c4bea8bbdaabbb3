// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of errors and signals. */
#include "syscall_internal.h"

#define TAPIR_SIGNALS	       64
#define TAPIR_SIGNAL_REAL_TIME 32

/* Only the kernel sees those from 512 on, and scripts that look at it. */
static const char *const tapir_errno_names[] = {
    [1] = "EPERM",
    [2] = "ENOENT",
    [3] = "ESRCH",
    [4] = "EINTR",
    [5] = "EIO",
    [6] = "ENXIO",
    [7] = "E2BIG",
    [8] = "ENOEXEC",
    [9] = "EBADF",
    [10] = "ECHILD",
    [11] = "EAGAIN",
    [12] = "ENOMEM",
    [13] = "EACCES",
    [14] = "EFAULT",
    [15] = "ENOTBLK",
    [16] = "EBUSY",
    [17] = "EEXIST",
    [18] = "EXDEV",
    [19] = "ENODEV",
    [20] = "ENOTDIR",
    [21] = "EISDIR",
    [22] = "EINVAL",
    [23] = "ENFILE",
    [24] = "EMFILE",
    [25] = "ENOTTY",
    [26] = "ETXTBSY",
    [27] = "EFBIG",
    [28] = "ENOSPC",
    [29] = "ESPIPE",
    [30] = "EROFS",
    [31] = "EMLINK",
    [32] = "EPIPE",
    [33] = "EDOM",
    [34] = "ERANGE",
    [35] = "EDEADLK",
    [36] = "ENAMETOOLONG",
    [37] = "ENOLCK",
    [38] = "ENOSYS",
    [39] = "ENOTEMPTY",
    [40] = "ELOOP",
    [42] = "ENOMSG",
    [43] = "EIDRM",
    [44] = "ECHRNG",
    [45] = "EL2NSYNC",
    [46] = "EL3HLT",
    [47] = "EL3RST",
    [48] = "ELNRNG",
    [49] = "EUNATCH",
    [50] = "ENOCSI",
    [51] = "EL2HLT",
    [52] = "EBADE",
    [53] = "EBADR",
    [54] = "EXFULL",
    [55] = "ENOANO",
    [56] = "EBADRQC",
    [57] = "EBADSLT",
    [59] = "EBFONT",
    [60] = "ENOSTR",
    [61] = "ENODATA",
    [62] = "ETIME",
    [63] = "ENOSR",
    [64] = "ENONET",
    [65] = "ENOPKG",
    [66] = "EREMOTE",
    [67] = "ENOLINK",
    [68] = "EADV",
    [69] = "ESRMNT",
    [70] = "ECOMM",
    [71] = "EPROTO",
    [72] = "EMULTIHOP",
    [73] = "EDOTDOT",
    [74] = "EBADMSG",
    [75] = "EOVERFLOW",
    [76] = "ENOTUNIQ",
    [77] = "EBADFD",
    [78] = "EREMCHG",
    [79] = "ELIBACC",
    [80] = "ELIBBAD",
    [81] = "ELIBSCN",
    [82] = "ELIBMAX",
    [83] = "ELIBEXEC",
    [84] = "EILSEQ",
    [85] = "ERESTART",
    [86] = "ESTRPIPE",
    [87] = "EUSERS",
    [88] = "ENOTSOCK",
    [89] = "EDESTADDRREQ",
    [90] = "EMSGSIZE",
    [91] = "EPROTOTYPE",
    [92] = "ENOPROTOOPT",
    [93] = "EPROTONOSUPPORT",
    [94] = "ESOCKTNOSUPPORT",
    [95] = "EOPNOTSUPP",
    [96] = "EPFNOSUPPORT",
    [97] = "EAFNOSUPPORT",
    [98] = "EADDRINUSE",
    [99] = "EADDRNOTAVAIL",
    [100] = "ENETDOWN",
    [101] = "ENETUNREACH",
    [102] = "ENETRESET",
    [103] = "ECONNABORTED",
    [104] = "ECONNRESET",
    [105] = "ENOBUFS",
    [106] = "EISCONN",
    [107] = "ENOTCONN",
    [108] = "ESHUTDOWN",
    [109] = "ETOOMANYREFS",
    [110] = "ETIMEDOUT",
    [111] = "ECONNREFUSED",
    [112] = "EHOSTDOWN",
    [113] = "EHOSTUNREACH",
    [114] = "EALREADY",
    [115] = "EINPROGRESS",
    [116] = "ESTALE",
    [117] = "EUCLEAN",
    [118] = "ENOTNAM",
    [119] = "ENAVAIL",
    [120] = "EISNAM",
    [121] = "EREMOTEIO",
    [122] = "EDQUOT",
    [123] = "ENOMEDIUM",
    [124] = "EMEDIUMTYPE",
    [125] = "ECANCELED",
    [126] = "ENOKEY",
    [127] = "EKEYEXPIRED",
    [128] = "EKEYREVOKED",
    [129] = "EKEYREJECTED",
    [130] = "EOWNERDEAD",
    [131] = "ENOTRECOVERABLE",
    [132] = "ERFKILL",
    [133] = "EHWPOISON",
    [512] = "ERESTARTSYS",
    [513] = "ERESTARTNOINTR",
    [514] = "ERESTARTNOHAND",
    [515] = "ENOIOCTLCMD",
    [516] = "ERESTART_RESTARTBLOCK",
    [517] = "EPROBE_DEFER",
    [518] = "EOPENSTALE",
    [519] = "ENOPARAM",
    [521] = "EBADHANDLE",
    [522] = "ENOTSYNC",
    [523] = "EBADCOOKIE",
    [524] = "ENOTSUPP",
    [525] = "ETOOSMALL",
    [526] = "ESERVERFAULT",
    [527] = "EBADTYPE",
    [528] = "EJUKEBOX",
    [529] = "EIOCBQUEUED",
    [530] = "ERECALLCONFLICT",
    [531] = "ENOGRACE",
};

const char *tapir_errno_name(s64 number)
{
	u64 n = number;

	return n < sizeof(tapir_errno_names) / sizeof(*tapir_errno_names) ? tapir_errno_names[n] : NULL;
}

static const char *const tapir_signal_names[] = {
    "",	    "HUP",  "INT",  "QUIT", "ILL",    "TRAP",	"ABRT",	 "BUS",	 "FPE",	 "KILL", "USR1",
    "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",	 "CONT", "STOP", "TSTP", "TTIN",
    "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",	"WINCH", "IO",	 "PWR",	 "SYS",
};

/* Adds a name without "SIG"; false if the signal has no name. */
static bool tapir_text_signal_short(struct tapir_text *t, s64 number)
{
	if (number <= 0 || number > TAPIR_SIGNALS)
		return false;
	if (number < TAPIR_SIGNAL_REAL_TIME) {
		tapir_text_add(t, tapir_signal_names[number]);
	} else if (number == TAPIR_SIGNAL_REAL_TIME) {
		tapir_text_add(t, "RTMIN");
	} else {
		tapir_text_add(t, "RT_");
		tapir_text_unsigned(t, number - TAPIR_SIGNAL_REAL_TIME);
	}
	return true;
}

void tapir_text_signal(struct tapir_text *t, s64 number)
{
	u32 start = t->length;

	tapir_text_add(t, "SIG");
	if (tapir_text_signal_short(t, number))
		return;
	tapir_text_cut(t, start);
	tapir_text_signed(t, number);
}

void tapir_text_signals(struct tapir_text *t, u64 set)
{
	u32 members = 0, number;
	bool any = false;

	for (number = 0; number < TAPIR_SIGNALS; number++)
		members += set >> number & 1;
	/* Sets with most signals show the missing ones. */
	if (members >= TAPIR_SIGNALS * 2 / 3) {
		tapir_text_char(t, '~');
		set = ~set;
	}
	tapir_text_char(t, '[');
	for (number = 1; number <= TAPIR_SIGNALS && !tapir_text_full(t); number++) {
		if (!(set >> (number - 1) & 1))
			continue;
		if (any)
			tapir_text_char(t, ' ');
		tapir_text_signal_short(t, number);
		any = true;
	}
	tapir_text_char(t, ']');
}

void tapir_signal_name(s64 number, char *dst, u32 cap)
{
	struct tapir_text t = {.dst = dst, .cap = cap};

	tapir_text_signal(&t, number);
	tapir_text_done(&t);
}
