// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "probes/kinds.h"

namespace tapir::probes {

#define TAPIR_KIND(Name, name, leaf, registers, flags) extern const KindOps k##Name;
#define TAPIR_POINTS(Name, name) extern const KindOps k##Name;
#include <tapir/kinds.def>

// Checks that the kernel's configuration has the options for a feature of machine::features(). False after reporting at
// `at`.
bool is_configured(std::string_view feature, const SourceRef &at, const ResolveContext &context);

// Writes a member of type u64, which the session's start sets if the attachment says so.
void write_number(const Attach &attach, std::string_view member, uint64_t value, Arg &out);

// Checks that handlers can run for accesses to memory on the script's processor. False after a report.
bool is_watchable(const ast::ProbePoint &point, const ResolveContext &context);

}  // namespace tapir::probes
