// SPDX-License-Identifier: GPL-2.0-or-later
/* A script without probes, for functions of the runtime that are loaded by themselves. */
#include <tapir/abi.h>

const struct tapir_module tapir_module = {.string_cap = 512};
