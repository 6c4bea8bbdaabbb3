// SPDX-License-Identifier: GPL-2.0-or-later
// How far a profile is from the whole truth: adds up what is cut, unnamed or lost.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "report/profile.h"

namespace tapir::report {

// The part ends before its root. Parts that are not there, and threads without a user mode, do not.
bool is_short(capture::End end);
// Nothing is known of it, not even why.
bool is_nothing(const capture::Stack &stack);

class Shortfall {
  public:
    explicit Shortfall(const capture::Capture &capture) : capture_(capture) {}

    // The faults of a stack that the end of its walk does not tell.
    struct Missing {
        const FrameText *unresolved = nullptr;  // a frame without a name
        bool frames_cut = false;                // of an interpreted language
    };
    // Samples of a stack.
    void add(const capture::Stack &stack, const Missing &missing, uint64_t count, int64_t value);
    void finish(Quality &quality);

  private:
    struct Part {
        std::string hint;
        double value = 0;
    };

    const capture::Capture &capture_;
    std::map<std::string, Part> parts_;  // of the value
    double total_ = 0, short_ = 0;
    uint64_t taken_ = 0;
};

}  // namespace tapir::report
