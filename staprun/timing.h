// SPDX-License-Identifier: GPL-2.0-or-later
// The report of -t.
#pragma once

#include <string>
#include <vector>

#include "module_control.h"

namespace tapir::staprun {

std::string timing_report(const std::vector<tapir_ioc_probe> &probes, const std::vector<tapir_ioc_lock> &locks);

// Contention of all globals. Returns 0 or errno.
int collect_locks(Control &control, uint32_t globals, std::vector<tapir_ioc_lock> &out);

}  // namespace tapir::staprun
