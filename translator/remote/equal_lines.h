// SPDX-License-Identifier: GPL-2.0-or-later
// Messages of many hosts: those that are equal appear once, with the number of hosts.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "remote/sink.h"

namespace tapir::remote {

class EqualLines {
  public:
    using Clock = std::chrono::steady_clock;

    EqualLines(Sink &sink, std::vector<std::string> hosts) : sink_(&sink), hosts_(std::move(hosts)) {}

    // A message is a line, or several, each with its newline. It appears a moment later, with what came by then.
    void add(size_t host, std::string_view message, Clock::time_point now);
    // When look() has to be called even if nothing comes.
    Clock::time_point deadline() const;
    void look(Clock::time_point now);
    // Lets go what is held back, in the order in which it came.
    void end();
    // Throws it away.
    void drop();

    // How long a message waits for its equals: twice as long each time that it appears, so that hosts which begin one
    // after the other fill few lines.
    static constexpr std::chrono::seconds kFirst{1}, kMost{64};
    static constexpr size_t kRoom = 1000;  // messages that are remembered; the oldest is forgotten

  private:
    struct Message {
        std::string text;
        std::vector<bool> told;  // by which host since it appeared; empty: it waits for nothing
        uint64_t hosts = 0, times = 0;
        std::chrono::seconds patience = kFirst;
        Clock::time_point due = Clock::time_point::max();
    };

    void let_go(Message &message);

    Sink *sink_;
    std::vector<std::string> hosts_;
    std::list<Message> messages_;  // in the order in which they came first
    std::unordered_map<std::string_view, std::list<Message>::iterator> by_text_;
};

}  // namespace tapir::remote
