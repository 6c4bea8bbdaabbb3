// SPDX-License-Identifier: GPL-2.0-or-later
// The probes and globals of a session with --monitor, as tables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "live/live_table.h"

namespace tapir::live {

struct ProbeState {
    uint64_t index = 0;
    bool on = true;
    std::string point, where;
    uint64_t attached = 0, hits = 0, missed = 0, errors = 0;
    std::vector<std::pair<std::string, uint64_t>> skipped;  // by reason
    uint64_t timed = 0, least = 0, most = 0, sum = 0;       // handlers that were measured; ns
};

struct GlobalState {
    std::string name, kind, of;
    bool resets = false;  // it can be reset
    bool is_array = false;
    uint64_t elements = 0, most = 0;
};

// Columns of the two that keys ask for.
constexpr size_t kProbeIndex = 0, kProbeOn = 2;
constexpr size_t kGlobalName = 0;

class MonitorTables {
  public:
    MonitorTables();

    void take(const ProbeState &probe);
    void take(const GlobalState &global);
    // Values of a global: its own, or elements of an array, the first of which follows begin().
    void begin(const std::string &global);
    void add(const std::string &global, const std::string &key, std::string value);
    // The records of one refresh are complete.
    void complete(uint64_t now);

    bool any() const { return !probe_states_.empty() || !globals_.empty(); }
    const Table &probes() const { return probes_table_; }
    const Table &globals() const { return globals_table_; }

  private:
    struct Values {
        std::string text() const;

        GlobalState state;
        std::vector<std::pair<std::string, std::string>> elements;  // of no array: one, without a key
    };

    std::map<uint64_t, ProbeState> probe_states_;
    std::map<std::string, size_t> places_;  // in globals_
    std::vector<Values> globals_;
    Table probes_table_, globals_table_;
};

}  // namespace tapir::live
