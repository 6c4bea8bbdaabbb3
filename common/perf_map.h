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
    // What does not look like a line of such a file is left out. Of code that is where other code was, the later line
    // counts. A name has at most kMaxName bytes; control characters in it are shown as "?". The text may be of any
    // origin.
    static PerfMap parse(std::string_view text);
    // An open file; messages call it `path`. It must be a regular one that belongs to root or `owner`, and only that
    // user may write to it: anybody can make a file in /tmp. Reads at most kMaxFile bytes, the last ones of a larger
    // file.
    static Outcome<PerfMap> read(int descriptor, const std::string &path, uid_t owner);

    // The name of the code that an address is in, "" if there is none. Valid as long as the map.
    std::string_view name(uint64_t address) const;
    // Pieces of code, after those that are no longer there are left out.
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
