// SPDX-License-Identifier: GPL-2.0-or-later
// The records "profile", "stack" and "sample" of --format=json: what @sample has taken, at the session's end.
#pragma once

#include "capture/capture_reader.h"
#include "module_stream.h"
#include "recording.h"

namespace tapir::staprun {

// Adds the samples of a recording that was written. A stack stands in front of its first sample. `mangled`: names are
// as their objects have them.
Outcome<void> add_samples(ModuleStream &session, const Recording &recording, bool mangled);
void add_samples(ModuleStream &session, const capture::Capture &capture, KernelPlaces places, bool mangled);

}  // namespace tapir::staprun
