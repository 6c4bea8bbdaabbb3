// SPDX-License-Identifier: GPL-2.0-or-later
/* Strings. See Kbuild. */
#include "runtime/text.c"
#include "runtime/wide_text.c"
#include "runtime/path.c"
#include "runtime/regex.c"
