// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --record: a capture (capture/capture_writer.h) of the stacks that a session kept, the samples that count them, and
 * the names of their frames, for stap-report.
 */
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "capture/capture_writer.h"
#include "common/outcome.h"
#include "made_code.h"
#include "module_control.h"
#include "session_ledger.h"
#include "session_origin.h"
#include "started_names.h"
#include "user_tables.h"

namespace tapir::staprun {

// How a capture tells places of the kernel's code apart. Numbers are for who may not know where the kernel is: they
// begin with 1, in the order of their appearance.
enum class KernelPlaces : uint8_t { Addresses, Numbers };

class Recording {
  public:
    // Sets what the session was started for. Call it before open().
    void describe(SessionOrigin origin) { origin_ = std::move(origin); }
    // Opens the file, which is replaced, and writes what is known of the session: who is killed leaves a capture that
    // is not sealed. Else FileUnwritable.
    Outcome<void> open(const std::string &path, KernelPlaces places = KernelPlaces::Addresses,
                       const char *symbols = kSymbols);
    // In memory, for a picture (session_picture.h). Else FileUnwritable.
    Outcome<void> open_in_memory(KernelPlaces places = KernelPlaces::Addresses);
    int descriptor() const { return descriptor_; }
    bool is_open() const { return descriptor_ >= 0; }
    // Nothing will be written: an empty file would look as if it were something.
    void discard();
    // As by discard(), unless it is sealed.
    ~Recording();

    // Writes a row, or that there is a table, until write().
    void table(const capture::Table &head) { writer_->table(head); }
    void row(const capture::Table &head, const capture::TableRow &row) { writer_->row(head, row); }
    // So that what was written is in the file if this program is killed.
    void flush() { writer_->flush(); }

    // In the capture, after write().
    uint64_t samples() const { return samples_; }
    // Whether the script takes samples at all.
    bool has_profile() const { return has_profile_; }
    KernelPlaces places() const { return places_; }
    // When the session is done, or has been given up: what it collected. `tables` may be null. `how` it ended:
    // "finished", "interrupted". `made` names code that is in no file. FileUnwritable, or ControlFailed. Where the
    // session is not done, its samples are lost: that is ControlFailed, and there is no file.
    Outcome<void> write(Control &control, const Ledger &ledger, const UserTables *tables, const std::string &script,
                        const std::string &how, MadeCode made = MadeCode(), const StartedNames &started = {});

  private:
    static constexpr char kSymbols[] = "/proc/kallsyms";

    void begin(KernelPlaces places, const char *symbols);

    std::string path_;
    SessionOrigin origin_;
    std::unique_ptr<capture::Writer> writer_;
    bool sealed_ = false, has_profile_ = false;
    uint64_t samples_ = 0;
    int descriptor_ = -1;
    int symbols_ = -1;  // of the kernel, opened while they may be seen
    uint64_t started_ = 0;
    KernelPlaces places_ = KernelPlaces::Addresses;
};

}  // namespace tapir::staprun
