// SPDX-License-Identifier: GPL-2.0-or-later
// The text that monitoring systems read: OpenMetrics 1.0, or the older format of Prometheus.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exporter/metric_values.h"

namespace tapir::exporter {

enum class TextForm { OpenMetrics, Prometheus };

// The form that an Accept header asks for.
TextForm form_for(std::string_view accept);
std::string_view content_type(TextForm form);

// A script as it is told.
struct ScriptState {
    std::string name;
    bool is_up = false;     // it runs, and has answered this time
    uint64_t starts = 0;    // of its session, restarts too
    double seconds_up = 0;  // how long this session has run
    uint64_t left_out = 0;  // elements that the limit had no room for, of all metrics
    Reading reading;        // of this session, or the last one
    Accounting of_earlier;  // of the sessions before it, so that sums never fall
};

// The whole text. A family of a name that another script has already told is left out, and counted.
std::string exposition(const std::vector<ScriptState> &scripts, TextForm form);

}  // namespace tapir::exporter
