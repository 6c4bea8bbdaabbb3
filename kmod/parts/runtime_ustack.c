// SPDX-License-Identifier: GPL-2.0-or-later
/* Stacks of programs. Not runtime/ulines.c: that it is there is what asks for tables of lines. See Kbuild. */
#include "runtime/interpreter.c"
#include "runtime/unwind.c"
#include "runtime/unwind_framed.c"
#include "runtime/unwind_walk.c"
#include "runtime/ustack.c"
