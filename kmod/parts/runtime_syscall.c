// SPDX-License-Identifier: GPL-2.0-or-later
/* System calls as text. See Kbuild. */
#include "runtime/syscall_build.c"
#include "runtime/syscall_memory.c"
#include "runtime/syscall_names.c"
#include "runtime/syscall_numbers.c"
#include "runtime/syscall_socket.c"
#include "runtime/syscall_text.c"
#include "runtime/syscall_value.c"
#include "runtime/syscall_hit.c"
