// SPDX-License-Identifier: GPL-2.0-or-later
/* The operations on stacks as values, in modules whose scripts store any. */
#include "stack_store.h"

const struct tapir_stacks_ops tapir_stacks_ops = {
    .create = tapir_stacks_create,
    .least = tapir_stacks_least,
    .destroy = tapir_stacks_destroy,
    .count = tapir_stacks_count,
    .read = tapir_stacks_read,
    .profile = tapir_profile_read,
};
