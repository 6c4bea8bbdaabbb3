// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "probes/kinds.h"

namespace tapir::probes {

extern const KindOps kBegin;       // begin.cc
extern const KindOps kTimer;       // timer.cc
extern const KindOps kFunction;    // function.cc
extern const KindOps kPerf;        // perf.cc
extern const KindOps kData;        // data.cc
extern const KindOps kProcfs;      // procfs.cc
extern const KindOps kNetfilter;   // netfilter.cc
extern const KindOps kTracepoint;  // tracepoint.cc
extern const KindOps kUprobe;      // uprobe.cc
extern const KindOps kMark;        // mark.cc
extern const KindOps kPlt;         // plt.cc
extern const KindOps kProcess;     // process.cc
extern const KindOps kSyscall;     // syscall.cc
extern const KindOps kNever;       // never.cc
extern const KindOps kUnbuilt;     // unbuilt.cc

// Whether the kernel's configuration has what a feature of machine::features() needs. False after reporting at `at`.
bool is_configured(std::string_view feature, const SourceRef &at, const ResolveContext &context);

}  // namespace tapir::probes
