// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics as OTLP has them: a message ExportMetricsServiceRequest of opentelemetry-proto 1.0 and later.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "exporter/metric_values.h"

namespace tapir::push {

// The accounting of the push itself.
struct Tally {
    uint64_t delivered = 0;                   // items
    uint64_t retries = 0;                     // attempts that failed and were repeated
    uint64_t waiting = 0;                     // items in the queue
    std::map<std::string, uint64_t> dropped;  // items by reason: "full", "refused", "damaged"
    uint64_t rejected_points = 0;             // that a collector took out of items which it accepted
};

struct MetricsSource {
    std::string script, version;                    // the script's name, and the version of Tapir
    std::map<std::string, std::string> attributes;  // of the resource; they come before what the session says
    uint64_t now_ns = 0;                            // since the epoch
};

// Names and units are those of the exporter once a collector has made them Prometheus': "tapir.SCRIPT.GLOBAL" in
// seconds, bytes and ratios. Counters and histograms are cumulative since the script's start.
std::string otlp_metrics(const exporter::Reading &reading, const Tally &tally, const MetricsSource &source);

}  // namespace tapir::push
