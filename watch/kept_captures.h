// SPDX-License-Identifier: GPL-2.0-or-later
// A folder of captures that follow each other. The one that is written has another name until it is whole. So each of
// the others can be read at any moment, also after a kill.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "common/outcome.h"

namespace tapir::watch {

// How many captures of a tool stay; the oldest ones go first. 0: no such limit.
struct Keeping {
    uint64_t captures = 144;
    uint64_t bytes = uint64_t{256} << 20;
    uint64_t seconds = 0;  // since a capture ended
};

class KeptCaptures {
  public:
    KeptCaptures(std::string folder, const Keeping &keeping) : folder_(std::move(folder)), keeping_(keeping) {}

    // Makes the folder, and takes over what a killed session left. Else FileUnwritable.
    Outcome<void> open(time_t now);
    // Where a session writes, and where it writes its accounting.
    std::string running() const { return folder_ + "/.running.tapir"; }
    std::string accounting() const { return folder_ + "/.running.json"; }
    // Gives the capture of a session that began then, in seconds since the epoch, its name. It is on the disk before
    // that. Then removes what is too much. False: there was none. Else FileUnwritable.
    Outcome<bool> rotate(time_t began, time_t now);
    // The bytes of the one that is written.
    uint64_t running_bytes() const;

    uint64_t captures() const { return captures_; }
    uint64_t bytes() const { return bytes_; }
    const std::string &folder() const { return folder_; }

  private:
    Outcome<void> sync_folder() const;
    void remove_old(time_t now);

    std::string folder_;
    Keeping keeping_;
    uint64_t captures_ = 0, bytes_ = 0;
};

// "20261130T221500Z": names in their order are captures in their order.
std::string stamp_of(time_t at);

}  // namespace tapir::watch
