// SPDX-License-Identifier: GPL-2.0-or-later
// A tool that is watched: its sessions, one after the other.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

#include "common/back_off.h"
#include "common/message_lines.h"
#include "common/outcome.h"
#include "common/process.h"
#include "watch/kept_captures.h"
#include "watch/watch_options.h"

namespace tapir::watch {

using Clock = std::chrono::steady_clock;

class WatchedTool {
  public:
    enum class State : uint8_t {
        Waiting,  // for pressure
        Resting,  // after a session that failed
        Running,
        Ended,
    };

    WatchedTool(const Wanted &wanted, const Options &options);

    // Asks the tool what it is, and takes over its folder. Else why it cannot be watched.
    Outcome<void> prepare();
    // Starts a session if one is due. `pressed`: there is pressure.
    void look(Clock::time_point now, bool pressed);
    // Reads what it has to say, and takes the end of its session.
    void attend(Clock::time_point now);
    // Ends the session; no other follows.
    void stop();
    void kill() { process_.kill(); }

    // For poll(); -1: there is none.
    int descriptor() const { return process_.started() ? process_.errors_descriptor() : -1; }
    // When look() has something to do by the clock.
    std::optional<Clock::time_point> due() const;
    bool ended() const { return state_ == State::Ended && !process_.started(); }
    // True once after what the status says has changed.
    bool take_change();
    // A line of the status: an object of JSON.
    std::string status() const;
    const std::string &name() const { return wanted_.name; }

  private:
    void start(Clock::time_point now);
    void begin_rest(Clock::time_point now, const std::string &why);
    void finish(Clock::time_point now);
    void end_session();
    void pass_on(const std::string &line);
    void say(const std::string &line);
    std::vector<std::string> command() const;
    void remove_left_module() const;

    const Wanted wanted_;
    const Options &options_;
    std::string stap_, staprun_, module_;
    bool samples_ = false;  // it takes --hz
    KeptCaptures kept_;
    Process process_;
    State state_;
    bool stopping_ = false, changed_ = true, too_large_ = false;
    time_t began_ = 0;
    Clock::time_point rest_until_{};
    BackOff rest_;
    MessageLines messages_;
    uint64_t sessions_ = 0, failed_ = 0;
    std::string last_line_, trouble_;
    unsigned lines_ = 0;  // of the session
};

}  // namespace tapir::watch
