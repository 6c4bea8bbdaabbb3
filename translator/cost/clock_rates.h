// SPDX-License-Identifier: GPL-2.0-or-later
// Rates that a script itself says: those of timers, and of samples by the clock.
#pragma once

#include <optional>

#include "cost/estimate.h"
#include "probes/attach.h"

namespace tapir::cost {

// Hits a second of all CPUs; nothing for probes of other kinds. `ticks`: of the kernel's clock a second.
std::optional<double> clock_rate(const probes::Attach &attach, const Settings &settings, double cpus, double ticks);

}  // namespace tapir::cost
