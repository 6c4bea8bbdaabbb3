// SPDX-License-Identifier: GPL-2.0-or-later
// Reads metrics from the records of a session (docs/output.md).
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <string_view>

#include "exporter/metric_values.h"

namespace tapir::exporter {

// A text without bytes that are no UTF-8: these become "\xNN". At most 256 bytes of it.
std::string label_value(std::string_view text);

class RecordReader {
  public:
    // Keeps at most so many elements of all metrics together.
    explicit RecordReader(size_t most_series) : most_(most_series) {}

    // Takes a line. A line that is no record is counted, and does nothing.
    void take(std::string_view line);

    const Reading &reading() const { return reading_; }
    // All metrics were told since they were asked for last.
    bool is_answered() const { return asked_ && ended_ >= expected_; }
    // The answer to the last question has not begun.
    void ask() { asked_ = false; }
    // The session has told how many metrics it has, and has none.
    bool has_no_metrics() const { return asked_ && expected_ == 0; }
    uint64_t broken_lines() const { return broken_; }

  private:
    void take_record(const nlohmann::json &record);
    void take_metric(const nlohmann::json &record, bool latin1);
    void take_value(const nlohmann::json &record, bool latin1, bool is_histogram);
    void end_metric(const std::string &name);
    size_t series() const;

    size_t most_;
    Reading reading_;
    std::map<std::string, Metric> open_;  // whose values are being told
    bool asked_ = false;
    uint64_t expected_ = 0, ended_ = 0;
    uint64_t broken_ = 0;
};

}  // namespace tapir::exporter
