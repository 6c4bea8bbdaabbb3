// SPDX-License-Identifier: GPL-2.0-or-later
// The performance event that a point begins with.
#pragma once

#include "probes/kinds.h"

namespace tapir::probes {

// Reads timer.profile, or perf.type(T).config(C) with .sample(N), .hz(N) or .counter("NAME"); nothing after a report.
std::optional<PerfEvent> read_perf_event(const ast::ProbePoint &point, Diagnostics &diagnostics);

// The members of struct perf_event_attr that say which event it is.
void write_perf_event(const PerfEvent &event, Arg &out);

}  // namespace tapir::probes
