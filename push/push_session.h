// SPDX-License-Identifier: GPL-2.0-or-later
// A script that runs below stap-push: asked for its metrics again and again.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/descriptor.h"
#include "common/process.h"
#include "exporter/record_reader.h"
#include "push/outbox.h"

namespace tapir::push {

struct SessionSettings {
    std::vector<std::string> command;  // writes records to standard output, and takes questions from $TAPIR_LIVE
    std::string script;                // its name in those of metrics
    std::string version;
    std::string capture;          // that the command writes; "": $TAPIR_PUSH_CAPTURE says where it is to
    bool passes_records = false;  // to standard output; else the texts that the script prints
};

class PushSession {
  public:
    using Tell = std::function<void(const std::string &line)>;

    PushSession(SessionSettings settings, const PushSettings &push, Outbox &outbox, Tell tell);

    // Runs the command to its end, and returns its exit status. SIGINT, SIGTERM and SIGHUP must be blocked: they are
    // for the command. With another signal after the command's end, finish() hurries.
    int run();

  private:
    using Clock = std::chrono::steady_clock;

    Outcome<void> start();
    void read_until_end();
    void take(std::string_view bytes);
    void pass_on(std::string_view line);
    void put_question();
    void push_metrics();
    void push_profile();
    void take_signals();

    SessionSettings settings_;
    const PushSettings &push_;
    Outbox &outbox_;
    const Tell tell_;
    exporter::RecordReader reader_;
    Process program_;
    Descriptor commands_, signals_;
    std::string rest_;
    Clock::time_point next_;
    bool asked_ = false, told_late_ = false, told_broken_ = false, told_limit_ = false, is_over_ = false;
    bool hurries_ = false;
};

}  // namespace tapir::push
