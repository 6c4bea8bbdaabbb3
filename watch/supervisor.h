// SPDX-License-Identifier: GPL-2.0-or-later
// Looks after all tools of a folder until a signal comes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/descriptor.h"
#include "watch/watched_tool.h"

namespace tapir::watch {

class Supervisor {
  public:
    explicit Supervisor(const Options &options);

    // Else why nothing can be watched.
    Outcome<void> prepare();
    // Until SIGTERM, SIGINT or SIGHUP. Returns the exit status.
    int run();

  private:
    // Waits for something to happen. True: there is pressure.
    bool wait(Clock::time_point now);
    void take_signals();
    void write_status();
    int patience(Clock::time_point now) const;

    const Options &options_;
    std::vector<std::unique_ptr<WatchedTool>> tools_;
    std::vector<Descriptor> pressures_;
    Descriptor signals_;
    bool stopping_ = false;
    Clock::time_point stopped_at_{};
    std::string written_;
};

// The file of a folder that says what is watched, and that of the lock that its watcher holds.
std::string status_file(const std::string &folder);
std::string lock_file(const std::string &folder);

}  // namespace tapir::watch
