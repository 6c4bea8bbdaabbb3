// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "probes/kinds.h"

namespace tapir::probes {

#define TAPIR_KIND(Name, name, leaf, registers, flags) extern const KindOps k##Name;
#define TAPIR_POINTS(Name, name) extern const KindOps k##Name;
#include <tapir/kinds.def>

// Whether the kernel's configuration has what a feature of machine::features() needs. False after reporting at `at`.
bool is_configured(std::string_view feature, const SourceRef &at, const ResolveContext &context);

// Whether handlers can be run for accesses to memory on the processor that the script is for. False after a report.
bool is_watchable(const ast::ProbePoint &point, const ResolveContext &context);

}  // namespace tapir::probes
