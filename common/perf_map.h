// SPDX-License-Identifier: GPL-2.0-or-later
// Names of code that a program has made at run time: /tmp/perf-PID.map, as Node (--perf-basic-prof), Java agents, .NET
// and others write it. A line is "START SIZE NAME" with hexadecimal numbers.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/outcome.h"

namespace tapir {

class PerfMap {
  public:
    // Parses a map of any origin. Leaves out lines that do not look like such a map's. Where pieces of code overlap,
    // the later line counts. A name has at most kMaxName bytes; control characters in it are shown as "?".
    static PerfMap parse(std::string_view text);
    // An open file; messages call it `path`. It must be a regular one that belongs to root or `owner`, and only that
    // user may write to it: anybody can make a file in /tmp. Reads at most kMaxFile bytes, the last ones of a larger
    // file.
    static Outcome<PerfMap> read(int descriptor, const std::string &path, uid_t owner);

    // Returns the name of the code that contains an address, or "". Valid as long as the map.
    std::string_view name(uint64_t address) const;
    // Pieces of code, without those that later ones replaced.
    size_t size() const { return code_.size(); }

    static constexpr size_t kMaxName = 4096;
    static constexpr size_t kMaxFile = size_t{256} << 20;

  private:
    struct Code {
        uint64_t end;
        size_t name, length;  // in names_
    };

    void add(uint64_t start, uint64_t end, std::string_view name);

    std::map<uint64_t, Code> code_;  // by start; none overlap
    std::string names_;
};

}  // namespace tapir
