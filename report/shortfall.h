// SPDX-License-Identifier: GPL-2.0-or-later
// How far a profile is from the whole truth: adds up what is cut, unnamed or lost.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "report/profile.h"

namespace tapir::report {

// The part ends before its root. Parts that are not there, and threads without a user mode, do not.
bool is_short(capture::End end);
// Nothing is known of it, not even why.
bool is_nothing(const capture::Stack &stack);

class Shortfall {
  public:
    Shortfall(const capture::Capture &capture, const FrameTable &frames) : capture_(capture), frames_(frames) {}

    struct Sampled {
        const capture::Stack *stack = nullptr;
        const capture::Stack *waker = nullptr;  // null: none
        bool frames_cut = false;                // of an interpreted language
    };
    // Samples of a stack. `row`: its boxes; `value`: what they show, at least 0.
    void add(const Sampled &what, std::span<const uint32_t> row, uint64_t count, int64_t value);
    // Samples that cannot be in the picture.
    void lose(const std::string &why, const std::string &hint, uint64_t count);
    void finish(Quality &quality);

  private:
    struct Part {
        std::string hint;
        double value = 0;
        bool lost = false;
    };
    struct Loss {
        std::string hint;
        uint64_t count = 0;
    };

    void add_boxes(std::span<const uint32_t> row, double value);
    void add_part(const std::string &text, const std::string &hint, double value, bool lost);
    void add_losses();
    void finish_names(Quality &quality) const;

    const capture::Capture &capture_;
    const FrameTable &frames_;
    std::map<std::string, Part> parts_;  // of the value
    std::map<std::string, Loss> lost_;   // samples that are not in the capture, or not in the picture
    std::map<std::pair<std::string, std::string>, double> nameless_;  // by object and text: width
    double total_ = 0, width_ = 0;
    uint64_t taken_ = 0;
};

}  // namespace tapir::report
