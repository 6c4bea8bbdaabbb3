// SPDX-License-Identifier: GPL-2.0-or-later
// One session from the command line to the exit status: insertion, settings, the session itself, clean-up.
#pragma once

#include "caller.h"
#include "events.h"
#include "loader_options.h"
#include "messages.h"
#include "output.h"

namespace tapir::staprun {

// Action::Run and Action::Attach. Returns the exit status. On every path it removes a module inserted here, unless the
// session was detached. ModuleStream installs its waiting for slow readers into `wait` while it lives.
int run_session(const Options &options, const Caller &caller, Events &events, Messages &messages, WaitWritable &wait);

}  // namespace tapir::staprun
