// SPDX-License-Identifier: GPL-2.0-or-later
// The records of a session that are not of its script: what runs, the accounting, the end. And who may write beside
// them.
#pragma once

#include "loader_options.h"
#include "module_stream.h"
#include "output.h"
#include "record_lines.h"
#include "session_ledger.h"

namespace tapir::staprun {

RecordLines::Members meta_members(const tapir_ioc_hello &hello, const Options &options);

// Writes the record "refresh" again and again: the accounting so far, without members if the module does not answer.
// Records of probes and globals stand in front of it if the module is for --monitor. The first arguments are to stay.
ModuleStream::Refresh refresh_of(uint64_t interval_ns, Control &control, const tapir_ioc_hello &hello,
                                 Messages &messages);

// The records "ledger" and "quality".
void add_accounts(ModuleStream &session, const Ledger &ledger);

// The last record, with the exit status. Returns the status, or 1 if the records could not be written.
int end_records(ModuleStream &session, bool detached, int status, Output &output);

// Where records go to standard output, commands (-c and system()) write to standard error.
void divert_commands(const Options &options, TargetCommand &target, ShellCommands &shell);

// While it lives, messages become records, too.
class RecordedMessages {
  public:
    RecordedMessages(Messages &messages, ModuleStream &session);
    ~RecordedMessages() { messages_.set_listener(nullptr); }
    RecordedMessages(const RecordedMessages &) = delete;
    RecordedMessages &operator=(const RecordedMessages &) = delete;

  private:
    Messages &messages_;
};

}  // namespace tapir::staprun
