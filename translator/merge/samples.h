// SPDX-License-Identifier: GPL-2.0-or-later
// Samples of @sample of many hosts: stacks that are the same become one. Code is the same where the build-id and the
// function are, or the place in the file where it has no name; code of the kernel where the function is.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "merge/figures.h"
#include "merge/room.h"

namespace tapir::merge {

struct MergedFrame {
    std::string in;  // "file", "kernel" or "text"
    std::string name, object, build_id, text;
    uint64_t offset = 0;  // where the first host had it
    bool returns = false;
};

struct MergedStack {
    std::string kernel_end, user_end;
    std::vector<uint32_t> frames;
};

struct MergedSample {
    uint32_t stack = 0, waker = 0;    // from 1 on; 0: none
    std::string label, comm, frames;  // as records have them; "": none
    Wide count = 0, sum = 0;
    HostSet hosts;
};

class Samples {
  public:
    Samples(Room &room, size_t hosts) : room_(room), hosts_(hosts), spread_("samples", "", Meaning::Sum) {}

    // Take a record of the type that their names say. The result is why it cannot be taken; "" if it was.
    std::string add_profile(uint32_t host, const nlohmann::json &record);
    std::string add_stack(uint32_t host, const nlohmann::json &record);
    std::string add_sample(uint32_t host, const nlohmann::json &record);
    // No more comes from the host.
    void forget(uint32_t host) { known_.erase(host); }

    bool any() const { return any_; }
    const std::string &title() const { return title_; }
    const std::string &unit() const { return unit_; }
    const std::string &clock() const { return clock_; }
    uint64_t hz() const { return hz_; }
    Wide overflowed() const { return overflowed_; }
    const std::vector<MergedFrame> &frames() const { return frames_; }
    // The first one has the number 1.
    const std::vector<MergedStack> &stacks() const { return stacks_; }
    const std::vector<MergedSample> &samples() const { return samples_; }
    const Spread &spread() const { return spread_; }
    uint64_t beyond() const { return beyond_; }  // samples whose stacks had no room; they are in a stack of their own

  private:
    static constexpr uint32_t kNone = 0;

    bool take_frame(const nlohmann::json &told, MergedStack &stack, std::string &key);
    uint32_t find_stack(uint32_t host, const nlohmann::json &record, const char *name) const;
    uint32_t others();

    Room &room_;
    size_t hosts_;
    bool any_ = false;
    std::string title_, unit_, clock_;
    uint64_t hz_ = 0;
    Wide overflowed_ = 0;
    std::vector<MergedFrame> frames_;
    std::vector<MergedStack> stacks_;
    std::vector<MergedSample> samples_;
    std::unordered_map<std::string, uint32_t> frame_numbers_, stack_numbers_, sample_numbers_;
    std::unordered_map<uint32_t, std::unordered_map<uint64_t, uint32_t>> known_;  // by the hosts' own numbers
    Spread spread_;
    uint32_t others_ = 0;
    uint64_t beyond_ = 0;
};

}  // namespace tapir::merge
