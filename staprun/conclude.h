// SPDX-License-Identifier: GPL-2.0-or-later
// Decisions and messages at the end of a session.
#pragma once

#include <functional>

#include "ledger_file.h"
#include "loader_options.h"
#include "messages.h"
#include "module_control.h"
#include "module_stream.h"
#include "output.h"
#include "session_ledger.h"

namespace tapir::staprun {

// Asks the module for the accounting, prints reports and warnings, writes the file of --ledger. Returns 0, or 1 when
// anything went wrong or was lost. `totals` of records are the merger's; those of output are taken from `output` after
// the reports. `told` gets the accounting when all messages have been told.
int conclude(Control &control, const tapir_ioc_hello &hello, const Options &options, OutputTotals totals,
             Output &output, Messages &messages, LedgerFile &file,
             const std::function<void(const Ledger &)> &told = {});

// The module goes on without this program.
void say_detached(const std::string &module, Messages &messages);

// The command of -c failed: `how` it exited. SystemTap says this of a child process.
void say_command_failed(const std::string &how, Messages &messages);

// The exit status then, where the session itself would have had `status`.
int status_of_failed_command(const Options &options, int status);

}  // namespace tapir::staprun
