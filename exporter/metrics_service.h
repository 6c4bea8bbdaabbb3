// SPDX-License-Identifier: GPL-2.0-or-later
// The answers of the exporter, without a network. Several threads may ask at a time.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exporter/script_session.h"
#include "trust/tokens.h"

namespace tapir::exporter {

struct Answer {
    int status = 200;
    std::string type, body;
};

class Service {
  public:
    // `deadline`: how long an answer may wait for scripts.
    explicit Service(std::chrono::milliseconds deadline) : deadline_(deadline) {}

    void add(std::unique_ptr<ScriptSession> script) { scripts_.push_back(std::move(script)); }
    // From now on a question needs a token.
    void require(trust::Tokens tokens) {
        tokens_ = std::move(tokens);
        needs_token_ = true;
    }

    // GET of a path. `authorization` and `accept`: headers, or "".
    Answer answer(const std::string &path, const std::string &authorization, const std::string &accept);

  private:
    Answer metrics(const std::string &accept);

    const std::chrono::milliseconds deadline_;
    std::vector<std::unique_ptr<ScriptSession>> scripts_;
    trust::Tokens tokens_;
    bool needs_token_ = false;
};

}  // namespace tapir::exporter
