// SPDX-License-Identifier: GPL-2.0-or-later
// Captures of sessions that followed each other, as one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "capture/capture_reader.h"
#include "common/outcome.h"

namespace tapir::report {

// Nanoseconds since the epoch.
struct TimeSpan {
    uint64_t from = 0, to = UINT64_MAX;
};

class JoinedCaptures {
  public:
    explicit JoinedCaptures(const TimeSpan &span) : span_(span) {}

    // Adds a session, of those that are added in the order of their starts. `name` is that of its file. One that has
    // nothing in the span is left out. Misuse: it is of another script, or in another unit.
    Outcome<void> add(capture::Capture next, const std::string &name);
    // How many sessions were added.
    size_t count() const { return count_; }
    // The captures as one, with a warning about each time without a session, and what else the sum does not show.
    capture::Capture take();

  private:
    using ObjectKey = std::tuple<std::string, std::string, uint64_t, std::string, uint32_t>;

    bool has_part(const capture::Capture &next);
    void note_gap(const capture::Meta &next);
    void add_meta(const capture::Meta &next);
    void add_objects(const capture::Capture &next);
    void add_stacks(const capture::Capture &next);
    void add_samples(const capture::Capture &next);
    void add_tables(capture::Capture &next);
    void add_counts(capture::Capture &next, const std::string &name);
    capture::FrameKey moved(const capture::Capture &next, const capture::FrameKey &key);
    void add_sample(capture::Sample sample);

    TimeSpan span_;
    size_t count_ = 0;
    capture::Capture all_;
    std::map<ObjectKey, uint32_t> objects_;
    std::map<std::pair<std::string, std::string>, uint32_t> interpreters_;
    std::unordered_map<std::string, uint64_t> stacks_;  // by what they consist of
    std::unordered_map<std::string, size_t> samples_;   // those without a time, by what they are of
    uint64_t fresh_place_ = uint64_t{1} << 62;
    uint64_t rows_ = 0;

    // Numbers of the session that is added, and what they are here.
    std::map<uint32_t, uint32_t> object_of_;
    std::map<uint32_t, uint32_t> interpreter_of_;
    std::map<capture::FrameKey, capture::FrameKey> frame_of_;
    std::unordered_map<uint64_t, uint64_t> stack_of_;

    uint64_t ended_ = 0;  // the last session, ns since the epoch
    uint64_t gaps_ = 0, gap_ns_ = 0, longest_gap_ = 0, longest_at_ = 0;
    size_t partly_ = 0;  // sessions that only partly lie in the span, and whose samples have no times
    size_t unsealed_ = 0;
    std::string damage_;  // of the first of them
};

// "15:04:05" or, of another day than `near`, "2026-11-30 15:04:05"; ns since the epoch, `zone` seconds ahead of UTC.
std::string moment_text(uint64_t at, uint64_t near, int64_t zone);

}  // namespace tapir::report
