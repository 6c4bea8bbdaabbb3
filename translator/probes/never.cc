// SPDX-License-Identifier: GPL-2.0-or-later
// never: its handler is checked like any other and never runs.
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kNeverForms[] = {{"never"}};

void resolve_never(const ast::ProbePoint &point, size_t, const ResolveContext &, std::vector<Attach> &out) {
    Attach attach;
    attach.kind = Kind::Never;
    attach.point = point.str();
    out.push_back(std::move(attach));
}

}  // namespace

const KindOps kNever = {.forms = kNeverForms, .resolve = resolve_never, .stands_still = [](size_t) { return true; }};

}  // namespace tapir::probes
