// SPDX-License-Identifier: GPL-2.0-or-later
// Answers to requests for debug files.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "server/debug_files.h"
#include "server/service.h"

namespace tapir::server {

// Safe from any thread.
class DebugAnswers {
  public:
    explicit DebugAnswers(const ServiceSettings &settings);

    // Else BadRequest, NotFound, TooLarge, TooMany or ResultNotSigned.
    Outcome<Answer> answer(const std::string &target, const Client &client);
    // Counters in the text format of Prometheus.
    std::string metrics() const;

  private:
    // "" if the server signs nothing.
    Outcome<std::string> sign(const DebugRequest &request, const std::string &digest, const Client &client) const;

    const ServiceSettings &settings_;
    const DebugFiles files_;
    DebugRate rate_;
    std::atomic<uint64_t> files_sent_ = 0, bytes_sent_ = 0;
};

}  // namespace tapir::server
