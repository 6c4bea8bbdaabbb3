// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of code that processes have made at run time, from the files /tmp/perf-PID.map that they write
 * (common/perf_map.h). A file is looked for late, when all stacks are there: programs add to it as they run.
 */
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/perf_map.h"

namespace tapir::staprun {

class MadeCode {
  public:
    // `proc` is where processes are, `tmp` where files of processes are that have ended.
    explicit MadeCode(std::string proc = "/proc", std::string tmp = "/tmp")
        : proc_(std::move(proc)), tmp_(std::move(tmp)) {}

    // The name of the code at an address of a process; "" if nobody has written it. The first call for a process reads
    // its file: that in the process's own /tmp under the number that it has there, or what is left in this program's
    // /tmp. `owner` is the process's user.
    std::string name(uint32_t process, uid_t owner, uint64_t address);
    // Why files that are there are not used, a text each.
    const std::vector<std::string> &refusals() const { return refusals_; }

    static constexpr size_t kMostProcesses = 256;              // further ones have no names
    static constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of all files

  private:
    const PerfMap &map_of(uint32_t process, uid_t owner);

    std::string proc_, tmp_;
    std::map<uint32_t, PerfMap> maps_;
    uint64_t bytes_ = 0;
    std::vector<std::string> refusals_;
};

}  // namespace tapir::staprun
