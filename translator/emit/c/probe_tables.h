// SPDX-License-Identifier: GPL-2.0-or-later
// The descriptors of the module's probes, with the tables that they refer to. Private to emit/.
#pragma once

#include <cstddef>
#include <string>

#include "ir/ir.h"

namespace tapir::emit {

struct ProbeTables {
    std::string text;  // definitions: tapir_probes, tapir_symbols, tapir_syscalls and others that are not empty
    size_t probes = 0, symbols = 0, settings = 0;  // rows of these
};
ProbeTables probe_tables(const ir::Module &module);

}  // namespace tapir::emit
