// SPDX-License-Identifier: GPL-2.0-or-later
/* Floating point. See Kbuild. */
#include "runtime/fp.c"
#include "runtime/fp_text.c"
