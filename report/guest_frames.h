// SPDX-License-Identifier: GPL-2.0-or-later
// Frames of an interpreted language, and where they belong among the native frames of a stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/profile.h"

namespace tapir::report {

// The label of samples that has such frames, as interp_frames() gives them (docs/captures.md).
inline constexpr char kFramesLabel[] = "frames";
// The box where outer ones are missing.
inline constexpr char kGuestCut[] = "[frames that did not fit into a string]";

// Is it the function of an interpreter that runs the frames of one call, or a part of it?
bool is_loop_of(const capture::Interpreter &interpreter, std::string_view function);

// "FUNCTION (FILE:LINE)" as a box: without the line unless `lines`, with file and line as its source.
FrameText guest_frame_text(std::string_view frame, bool lines);

// Hands out the frames of one sample, from the innermost on.
class GuestFrames {
  public:
    explicit GuestFrames(std::string_view text);

    // Where the interpreter runs innermost: all frames, if the language does not tell where its calls begin; else none.
    std::vector<std::string> at_innermost();
    // At the loop of an interpreter: what that call of it runs.
    std::vector<std::string> at_loop();
    // The frames that no native frame has taken.
    std::vector<std::string> rest();
    bool done() const { return next_ == frames_.size(); }
    // The outer ones did not fit into the script's string.
    bool cut() const { return cut_; }

  private:
    // Up to number `end`, which is not among them.
    std::vector<std::string> take(size_t end);

    std::vector<std::string> frames_;  // the innermost first
    std::vector<bool> begins_;         // by frame: a call of the loop begins with it
    size_t next_ = 0;
    bool by_call_ = false, cut_ = false;
};

}  // namespace tapir::report
