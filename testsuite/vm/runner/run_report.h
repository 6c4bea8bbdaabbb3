// SPDX-License-Identifier: GPL-2.0-or-later
// The results of a run's cases, printed in the Test Anything Protocol as they end.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "case.h"

namespace tapir::guest_tests {

struct Verdict {
    enum class Kind : uint8_t { Passed, Failed, Skipped } kind = Kind::Passed;
    std::string text;  // complaints, or the reason for skipping
};

// The cases and their results, shared by the threads that serve guests.
class Run {
  public:
    // With `second_chance` a case that fails is kept for second_round() before the run calls it failed.
    Run(std::vector<Case> cases, bool second_chance) : cases_(std::move(cases)), second_chance_(second_chance) {}

    // The next case to make ready, or null.
    const Case *next();
    void print(const Case &test, const Verdict &verdict, double seconds);
    // Called when no guest runs. True if there are cases that failed once and may be tried again: next() returns these
    // then, and what is printed of them is final. So many failures that chance cannot be their cause are final at once.
    bool second_round();
    void interrupt() { interrupted_ = true; }
    bool interrupted() const { return interrupted_; }
    // Prints the closing lines. Returns the exit status: 0, 1 when a case failed, 130 when interrupted.
    int report() const;

  private:
    // More failures than this have one cause, which a second run would meet again.
    static constexpr size_t most_second_chances = 8;

    struct Failure {
        Case test;
        Verdict verdict;
        double seconds;
    };

    void print_final(const Case &test, const Verdict &verdict, double seconds);

    std::vector<Case> cases_;
    std::atomic<bool> second_chance_;
    std::atomic<size_t> taken_ = 0;
    std::atomic<bool> interrupted_ = false;
    std::mutex lock_;
    int number_ = 0, passed_ = 0, failed_ = 0, skipped_ = 0;
    std::vector<Failure> failures_;  // of the first round
    std::vector<std::string> flaky_;
};

}  // namespace tapir::guest_tests
