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

struct Maker {
    uint32_t process = 0;         // its number here
    uint32_t own = 0, space = 0;  // its number in its PID namespace, and that namespace's; 0: not known
    uid_t owner = 0;
};

class MadeCode {
  public:
    // `proc` is where processes are, `tmp` where files of processes are that have ended.
    explicit MadeCode(std::string proc = "/proc", std::string tmp = "/tmp")
        : proc_(std::move(proc)), tmp_(std::move(tmp)) {}

    // Returns the name of the code at an address of a process, or "" if no map has it. The first call for a process
    // reads its map in the process's own /tmp, under the number that the process has there. If the process has ended,
    // the map is in the /tmp of another process of its PID namespace, or in this program's.
    std::string name(const Maker &maker, uint64_t address);
    // Reasons why existing files are not used, a text each.
    const std::vector<std::string> &refusals() const { return refusals_; }

    static constexpr size_t kMostProcesses = 256;              // further ones have no names
    static constexpr size_t kMostRoots = 16;                   // that the processes of a namespace have
    static constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of all files

  private:
    struct Place {
        std::string directory, path;
    };
    std::vector<Place> places_of(const Maker &maker) const;
    const PerfMap &map_of(const Maker &maker);

    std::string proc_, tmp_;
    std::map<uint32_t, PerfMap> maps_;
    uint64_t bytes_ = 0;
    std::vector<std::string> refusals_;
};

}  // namespace tapir::staprun
