// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/guest_frames.h"

#include <algorithm>
#include <charconv>

namespace tapir::report {

namespace {

constexpr std::string_view kCut = "...";
constexpr char kBegins = '\n';

}  // namespace

bool is_loop_of(const capture::Interpreter &interpreter, std::string_view function) {
    const std::string_view loop = interpreter.loop;
    // Compilers give parts of a function names with a suffix, such as ".cold".
    return !loop.empty() && function.starts_with(loop) &&
           (function.size() == loop.size() || function[loop.size()] == '.');
}

FrameText guest_frame_text(std::string_view frame, bool lines) {
    FrameText out;
    out.origin = Origin::Script;
    const size_t open = frame.rfind(" ("), colon = frame.rfind(':');
    if (open != std::string_view::npos && frame.ends_with(')')) {
        const bool lined = colon != std::string_view::npos && colon > open &&
                           std::from_chars(frame.data() + colon + 1, frame.data() + frame.size() - 1, out.line).ptr ==
                               frame.data() + frame.size() - 1;
        if (!lined) out.line = 0;
        const size_t end = lined ? colon : frame.size() - 1;
        out.file = clean(frame.substr(open + 2, end - open - 2));
        if (lined && !lines) {
            out.name = clean(std::string(frame.substr(0, colon)) + ")");
            return out;
        }
    }
    out.name = clean(frame);
    return out;
}

GuestFrames::GuestFrames(std::string_view text) {
    while (!text.empty()) {
        const size_t semicolon = text.find(';');
        std::string_view frame = text.substr(0, semicolon);
        text.remove_prefix(semicolon == std::string_view::npos ? text.size() : semicolon + 1);
        const bool begins = frame.starts_with(kBegins);
        if (begins) frame.remove_prefix(1);
        by_call_ |= begins;
        if (frame == kCut && frames_.empty()) {
            cut_ = true;
        } else if (!frame.empty()) {
            frames_.emplace_back(frame);
            begins_.push_back(begins);
        }
    }
    std::reverse(frames_.begin(), frames_.end());
    std::reverse(begins_.begin(), begins_.end());
}

std::vector<std::string> GuestFrames::take(size_t end) {
    const auto at = [this](size_t number) { return frames_.begin() + static_cast<std::ptrdiff_t>(number); };
    std::vector<std::string> out(at(next_), at(end));
    next_ = end;
    return out;
}

std::vector<std::string> GuestFrames::at_innermost() {
    return by_call_ ? std::vector<std::string>{} : take(frames_.size());
}

std::vector<std::string> GuestFrames::at_loop() {
    size_t end = next_;
    while (by_call_ && end < frames_.size() && !begins_[end++])
        ;
    return take(end);
}

std::vector<std::string> GuestFrames::rest() {
    return take(frames_.size());
}

}  // namespace tapir::report
