// SPDX-License-Identifier: GPL-2.0-or-later
// The descriptors of the module's probes, with the tables that they refer to. Private to emit/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace tapir::emit {

struct ProbeTables {
    std::string text;  // definitions: tapir_probes, tapir_symbols, tapir_syscalls and others that are not empty
    size_t probes = 0, symbols = 0, settings = 0;  // rows of these
};
ProbeTables probe_tables(const ir::Module &module);

// A row of tapir_probes, in their order.
struct ProbeRow {
    size_t handler = 0;        // index into Module::handlers
    int condition = -1;        // index into tapir_conditions, which has those of the module first
    bool is_switched = false;  // the condition is the probe's own: its switch, and what the handler asks for
};
std::vector<ProbeRow> probe_rows(const ir::Module &module);

}  // namespace tapir::emit
