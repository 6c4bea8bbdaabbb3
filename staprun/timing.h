// SPDX-License-Identifier: GPL-2.0-or-later
// The reports of -t: SystemTap's lines, and a table for people.
#pragma once

#include <string>
#include <vector>

extern "C" {
#include "items/measures.h"
}

#include "module_control.h"

namespace tapir::staprun {

std::string timing_report(const std::vector<tapir_ioc_probe> &probes, const std::vector<tapir_ioc_lock> &locks);

// `running_ns`: how long probes were armed; 0: that is not known. "" where the screen is too narrow.
std::string timing_table(const std::vector<tapir_ioc_probe> &probes, const std::vector<tapir_ioc_lock> &locks,
                         uint64_t running_ns, const tapir_screen &screen);

// Contention of all globals. Returns 0 or errno.
int collect_locks(Control &control, uint32_t globals, std::vector<tapir_ioc_lock> &out);

}  // namespace tapir::staprun
