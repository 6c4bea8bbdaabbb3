// SPDX-License-Identifier: GPL-2.0-or-later
// Profiles of captures: what @sample took, as pprof.
#pragma once

#include <string>

#include "common/outcome.h"
#include "push/outbox.h"

namespace tapir::push {

// Has stap-report make a profile of a capture, and puts it into the outbox. `script`: its name; "": the capture's. A
// capture without samples is a fault, too. Else CaptureUnusable, FileUnreadable, or a fault of starting stap-report.
Outcome<void> push_capture(Outbox &outbox, const std::string &capture, const std::string &script);

// "biolatency" of "tools/disk/biolatency.stp"; "script" of what has no such name.
std::string script_name(const std::string &script);

}  // namespace tapir::push
