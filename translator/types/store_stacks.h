// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as values: what backtrace(), ubacktrace(), callers(), ucallers() and stacks() give is a string in the
// language. Where a script only stores such strings and prints their names, they become numbers of stacks that the
// module keeps (tapir/stacks.h).
#pragma once

#include "resolve/program.h"

namespace tapir::types {

// Gives variables, keys, elements, parameters and results that only ever are stacks the type Long, and rewrites the
// code that makes and takes them. Text is made of a number where text is needed. All types are known. Does nothing to
// programs that store no stacks.
void store_stacks(resolve::Program &program);

}  // namespace tapir::types
