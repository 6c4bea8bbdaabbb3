// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics of a session (@metric) as they were read last.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tapir::exporter {

// The value of one element, or of a metric without keys.
struct Sample {
    int64_t value = 0;                    // of a counter or gauge
    uint64_t count = 0;                   // of a histogram
    int64_t sum = 0;                      // likewise
    std::map<int64_t, uint64_t> buckets;  // likewise: counts by the largest number in the bucket
};

struct Metric {
    std::string name, kind, help, unit, shape;  // the kind is "counter", "gauge" or "histogram"
    std::vector<std::string> labels;
    std::map<std::vector<std::string>, Sample> samples;  // by the labels' values
    uint64_t left_out = 0;                               // elements that the limit had no room for
    std::set<int64_t> bounds;  // of a histogram: the largest number of each bucket that ever had a sample
};

// The accounting so far.
struct Accounting {
    uint64_t hits = 0, lost_hits = 0, errors = 0, lost_records = 0;
    uint64_t overhead_ns = 0;
};

struct Reading {
    uint64_t started_ns = 0;             // since the epoch; 0: the session has not begun
    uint64_t begun_ns = 0, read_ns = 0;  // CLOCK_MONOTONIC: the first record, and that of the accounting
    std::string module, host, kernel;
    std::map<std::string, Metric> metrics;
    Accounting account;
    bool has_ended = false;
};

}  // namespace tapir::exporter
