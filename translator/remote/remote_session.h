// SPDX-License-Identifier: GPL-2.0-or-later
// One host of a fleet.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "common/process.h"
#include "remote/builds.h"
#include "remote/equal_lines.h"
#include "remote/fleet.h"
#include "remote/host_lines.h"
#include "remote/keeper.h"
#include "remote/sink.h"

namespace tapir::remote {

enum class Stage : uint8_t { Waiting, Connecting, Asking, Building, Copying, Running, Leaving, Ended };

// Which host has told that it is a machine, by the number of its start.
using Machines = std::map<std::string, std::string>;

// The objects that all hosts of a fleet share.
struct Surroundings {
    const FleetOptions &options;
    Builds &builds;
    Sink &output, &errors;
    EqualLines *equal;  // where messages go, if those that are equal become one
    Machines &machines;
    bool several;  // hosts
};

// The request to end that leaves everything at once.
constexpr int kLastStop = 3;

class Session {
  public:
    Session(size_t number, const Host &host, const Surroundings &around);

    // To be called once before all else: where the connection's socket goes, and what names the directory on the host.
    // With a `problem` the session ends right away.
    void prepare(const std::string &sockets, const std::string &token, const std::string &problem);
    void connect();
    // Takes what has happened since the last time.
    void look();
    // Has the last look() taken output of the script?
    bool took_output() const { return took_ && stage_ == Stage::Running; }
    // The `count`-th request to end.
    void stop(int count, const std::string &signal);

    Stage stage() const { return stage_; }
    bool ended() const { return stage_ == Stage::Ended; }
    // Ended, and so have its processes.
    bool gone() const { return gone_; }
    // Bytes that have yet to be copied to the host, with those on their way.
    uint64_t bytes_to_copy() const;
    bool is_connecting() const { return stage_ == Stage::Connecting || stage_ == Stage::Asking; }
    Clock::time_point begun() const { return begun_; }  // connecting
    // When look() has to be called even if nothing happens.
    Clock::time_point deadline() const;
    std::vector<Process *> processes() { return {&master_, &keeper_, &copy_}; }
    // After the end: has the process that holds the connection yet to leave?
    bool still_there();
    const HostResult &result() const { return result_; }

  private:
    std::vector<std::string> ssh(bool master) const;
    void enter(Stage stage, unsigned seconds);
    void look_for_connection();
    void ask();
    void read_keeper();
    void judge_facts();
    void look_for_module();
    void copy_next();
    void look_at_copy();
    void launch();
    void look_at_run();
    bool is_kept() const { return stage_ == Stage::Building || stage_ == Stage::Copying || stage_ == Stage::Running; }
    void say_alive();
    void look_at_clock();
    void begin_deadline();
    void leave(const std::string &problem);
    void end(const std::string &problem);

    size_t number_;
    Host host_;
    Surroundings around_;
    Stage stage_ = Stage::Waiting;
    Clock::time_point deadline_ = Clock::time_point::max(), next_alive_{}, begun_{};
    Clock::time_point last_ = Clock::time_point::max();  // when the host has had its time
    bool late_ = false, gone_ = false;
    std::string socket_, token_;
    Process master_, keeper_, copy_;
    Facts facts_;
    std::string heard_;  // lines of the keeper that are not complete
    std::string said_;   // what ssh and the host complained about before the run
    std::string answer_, scrap_;
    const Build *build_ = nullptr;
    std::deque<const Payload *> to_copy_;
    std::string program_;  // staprun on the host
    bool took_ = false;
    std::string wrong_;  // with what the host tells
    Lines output_, errors_;
    HostResult result_;
};

}  // namespace tapir::remote
