// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.task.snapshot: each task of the machine, as it is when the session begins.
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kTaskSnapshotForms[] = {{"kernel.task.snapshot"}};

void resolve_task_snapshot(const ast::ProbePoint &point, size_t, const ResolveContext &, std::vector<Attach> &out) {
    Attach attach;
    attach.kind = Kind::TaskSnapshot;
    attach.point = point.str();
    out.push_back(std::move(attach));
}

}  // namespace

const KindOps kTaskSnapshot = {.forms = kTaskSnapshotForms, .resolve = resolve_task_snapshot};

}  // namespace tapir::probes
