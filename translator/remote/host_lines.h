// SPDX-License-Identifier: GPL-2.0-or-later
// The output of one host, as it appears among that of others: whole lines, in the order in which they come, and
// lines that were printed at once in one piece.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "remote/sink.h"

namespace tapir::remote {

using Clock = std::chrono::steady_clock;

// One stream of one host on its way to a sink.
class Lines {
  public:
    // Raw: its bytes as they are. Safe: what could control a terminal is shown as \xhh, but for colors with Colored.
    // Records: each line is an object of JSON, which gets the prefix as its member "remote"; one that is not whole is
    // left out.
    enum class Bytes : uint8_t { Raw, Safe, Colored, Records };

    // With `together`, a line is held back until it is complete, and lines until no more come for a moment: reports
    // that several hosts print at the same time, such as histograms, stay in one piece each.
    Lines(Sink &sink, std::string prefix, bool together, Bytes bytes = Bytes::Raw)
        : sink_(&sink), prefix_(std::move(prefix)), together_(together), bytes_(bytes) {}

    // From now on `take` gets what would go to the sink: each record, without a newline, "" in place of one that is too
    // long; and of other bytes each line, with its newline and with those lines behind it that begin with a space.
    void give_to(std::function<void(std::string_view line)> take) { take_ = std::move(take); }

    void add(std::string_view text, Clock::time_point now);
    // When look() has to be called even if nothing comes.
    Clock::time_point deadline() const { return deadline_; }
    // Lets go what has been held back for long enough.
    void look(Clock::time_point now);
    // The end of the stream: what is held back appears.
    void end();

    static constexpr std::chrono::milliseconds kPause{50};  // without more, a report is complete
    static constexpr std::chrono::seconds kPatience{1};     // no line waits longer for those that follow it

  private:
    static constexpr size_t kLongest = 65536;            // a line longer than this is not held back any more
    static constexpr size_t kLongestRecord = 64u << 20;  // likewise; the line is left out
    static constexpr size_t kLongestTaken = 4u << 20;    // likewise, of lines that are taken
    static constexpr size_t kLargest = 262144;           // nor are lines of this size in all

    void add_line(std::string_view end);
    void add_record();
    void let_go();
    void give_messages();

    Sink *sink_;
    std::string prefix_;
    bool together_;
    Bytes bytes_;
    std::function<void(std::string_view line)> take_;
    bool inside_ = false;  // a line has been begun
    bool spoilt_ = false;  // what comes is the rest of a record that was too long
    std::string line_;     // what there is of a line
    std::string lines_;    // complete ones, as they will appear
    Clock::time_point since_, deadline_ = Clock::time_point::max();
};

}  // namespace tapir::remote
