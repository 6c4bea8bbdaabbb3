// SPDX-License-Identifier: GPL-2.0-or-later
// Metrics in Prometheus' text format, version 0.0.4.
#pragma once

#include <cstdint>
#include <string>

namespace tapir::server {

// A metric without labels. `kind` is "counter" or "gauge"; `help` has no newline and no backslash.
std::string metric_text(const std::string &name, const std::string &kind, const std::string &help, uint64_t value);

}  // namespace tapir::server
