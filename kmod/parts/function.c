// SPDX-License-Identifier: GPL-2.0-or-later
/* Kernel functions: entries, returns, statements. See Kbuild. */
#include "kmod/sites.c"
#include "kmod/function_sites.c"
#include "kmod/function_filter.c"
#include "kmod/kind_function.c"
#include "kmod/kind_return.c"
#include "kmod/kind_statement.c"
