// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/still_reach.h"

#include <algorithm>
#include <array>

#include "probes/kinds.h"

namespace tapir::resolve {

namespace {

constexpr std::array kProcessLacks = {PortNeed::Kernel, PortNeed::Dump},
                     kKernelLacks = {PortNeed::Kernel, PortNeed::Process};

bool is_of_processes(const ast::ProbePoint &point) {
    static constexpr std::array<std::string_view, 3> kOfThreads = {"process", "timer", "perf"};
    return std::ranges::find(kOfThreads, point.components.front().name) != kOfThreads.end();
}

bool hits_kernel(const ast::ProbePoint &point) {
    return probes::stands_still(point) && !is_of_processes(point);
}

constexpr Reach kCore = {
    .runtime = "process",
    .hits = probes::stands_still,
    .nothing_runs = "nothing runs in a core",
    .looks_by = "process.snapshot",
    .lacks = kProcessLacks,
    .asked = "the running kernel",
    .none = "a core has none",
    .reads_kernel = false,
    .why_unwritable = "the memory of a dead process cannot be changed",
};

constexpr Reach kProcess = {
    .runtime = "process",
    .hits = probes::stands_still,
    .nothing_runs = "nothing of the process runs while a snapshot is looked at",
    .looks_by = "process.snapshot",
    .lacks = kProcessLacks,
    .asked = "the running kernel",
    .none = "a snapshot has none",
    .reads_kernel = false,
    .why_unwritable = "a snapshot only reads the process; without --snapshot, stap -g changes it",
};

constexpr Reach kKernel = {
    .runtime = "process",
    .hits = hits_kernel,
    .nothing_runs = "nothing runs in the memory of a kernel",
    .looks_by = "begin",
    .lacks = kKernelLacks,
    .asked = "a process or the running kernel",
    .none = "the memory of a kernel has none",
    .reads_user = false,
    .why_unwritable = "the memory of a kernel can only be read",
};

}  // namespace

const Reach &still_reach(target::StillKind kind) {
    switch (kind) {
        case target::StillKind::Core:
            return kCore;
        case target::StillKind::Process:
            return kProcess;
        case target::StillKind::Kernel:
            return kKernel;
    }
    return kCore;
}

}  // namespace tapir::resolve
