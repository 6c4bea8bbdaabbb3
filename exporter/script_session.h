// SPDX-License-Identifier: GPL-2.0-or-later
// A script that runs below the exporter: started when it is asked first, started anew when it ends, and asked for its
// metrics.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/back_off.h"
#include "common/descriptor.h"
#include "common/message_lines.h"
#include "common/process.h"
#include "exporter/exposition.h"
#include "exporter/record_reader.h"
#include "exporter/script_settings.h"

namespace tapir::exporter {

// Its functions may be called by any thread. A thread of its own reads the records.
class ScriptSession {
  public:
    using Log = std::function<void(const std::string &line)>;

    // `stap`: the program. `log` may be called by several threads.
    ScriptSession(ScriptSettings settings, std::string stap, Log log);
    // Ends the script, which has ten seconds for its end probes.
    ~ScriptSession();
    ScriptSession(const ScriptSession &) = delete;
    ScriptSession &operator=(const ScriptSession &) = delete;

    // Asks for the values, and starts the script if it does not run. Does not wait. Returns the question's number; all
    // who ask before an answer is complete have the same one.
    uint64_t ask();
    // Waits until that question is answered, or until then. The state has the last values in any case.
    ScriptState wait(uint64_t question, std::chrono::steady_clock::time_point until);

    const std::string &name() const { return settings_.name; }

  private:
    using Clock = std::chrono::steady_clock;

    void run();
    bool await_wish();
    bool start();
    void read_until_end();
    void take(std::string &rest, std::string_view bytes);
    void put_question();
    void conclude();
    void end_program();
    void wake();
    void say(const std::string &text) { log_(settings_.name + ": " + text); }
    ScriptState state(uint64_t question) const;

    const ScriptSettings settings_;
    const std::string stap_;
    const Log log_;

    std::mutex mutex_;
    std::condition_variable changed_;
    // Below: under the mutex.
    RecordReader reader_;
    Accounting of_earlier_;
    uint64_t starts_ = 0;
    Clock::time_point started_ = {};
    bool wanted_ = false, leaving_ = false;
    bool question_ = false;  // is to be put, as soon as the program runs
    bool asked_ = false;     // it was put, and is not answered
    uint64_t answers_ = 0;   // complete ones, of all sessions
    bool is_running_ = false, told_limit_ = false, told_broken_ = false;

    // Only the thread uses these.
    Process program_;
    Descriptor commands_, wake_, woken_;
    MessageLines messages_;
    BackOff back_off_;
    std::thread thread_;
};

}  // namespace tapir::exporter
