// SPDX-License-Identifier: GPL-2.0-or-later
// The hosts of a merge: how much each told, how good it is, and how far its clock is off.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "merge/figures.h"

namespace tapir::merge {

// By how many nanoseconds a host's calendar clock is ahead of ours, by what can be known: between these.
struct Ahead {
    int64_t least = 0, most = 0;
    // The number nearest to 0 that is possible.
    int64_t surely() const { return least > 0 ? least : most < 0 ? most : 0; }
};

struct HostState {
    uint64_t records = 0;
    uint64_t bad = 0;       // lines that are no records, or contradict earlier ones
    std::string complaint;  // about the first of them
    uint64_t last_time = 0;
    bool backwards = false;  // its clock went backwards
    bool ended = false;      // it told its end
    int64_t status = 0;      // with that
    int64_t launched = 0;    // by our calendar clock, ns: its script was started then; 0: it was not
    std::optional<Ahead> ahead;
    int64_t set_ns = 0;   // by how much its calendar clock was set while the script ran
    std::string problem;  // why it failed; "": it did not
    std::string note;     // else what is to be said of it

    bool counts() const { return ended && problem.empty(); }
};

// The members of "quality" that are numbers.
constexpr const char *kQualities[] = {"hits",           "lost_hits",    "errors",   "lost_records",
                                      "cut_texts",      "lost_events",  "walks",    "complete_walks",
                                      "refused_stacks", "lost_samples", "left_out", "stretched"};
constexpr size_t kQualityCount = sizeof kQualities / sizeof kQualities[0];
// Those that say how much is missing or wrong.
bool is_loss(size_t quality);

class Hosts {
  public:
    explicit Hosts(std::vector<std::string> names) : names_(std::move(names)), states_(names_.size()) {}

    size_t size() const { return states_.size(); }
    const std::string &name(uint32_t host) const { return names_[host]; }
    HostState &operator[](uint32_t host) { return states_[host]; }
    const HostState &operator[](uint32_t host) const { return states_[host]; }

    // Record "meta", "end" and "quality". `now`: our calendar clock, ns.
    void add_meta(uint32_t host, const nlohmann::json &record, int64_t now);
    void add_end(uint32_t host, const nlohmann::json &record, int64_t now);
    void add_quality(uint32_t host, const nlohmann::json &record);

    // The sum of a number of "quality", and that of one host; hosts that did not tell it have none.
    Wide quality(size_t number) const;
    uint64_t quality(size_t number, uint32_t host) const;
    uint32_t incomplete() const { return incomplete_; }  // hosts whose quality is not complete
    uint32_t judged() const { return judged_; }          // hosts that told their quality

    // Clocks count as off beyond this.
    static constexpr int64_t kClockNs = 1000000000;
    // "" or "its clock is 3,600 s ahead"
    std::string clock_text(uint32_t host) const;
    std::vector<bool> counting() const;

  private:
    struct Clock {
        int64_t monotonic = 0, realtime = 0;
    };
    std::vector<std::string> names_;
    std::vector<HostState> states_;
    std::vector<Clock> begun_;  // by "meta"
    std::vector<std::vector<uint64_t>> qualities_;
    uint32_t incomplete_ = 0, judged_ = 0;
};

}  // namespace tapir::merge
