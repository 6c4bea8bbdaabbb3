// SPDX-License-Identifier: GPL-2.0-or-later
// A profile of a capture that a test writes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "report/known_captures.h"
#include "report/picture.h"

namespace tapir::report {

// A capture of write_known().
inline capture::Capture read_known(const std::string &name) {
    std::string bytes;
    EXPECT_TRUE(capture::write_known(name, [&bytes](std::string_view part) {
        bytes += part;
        return true;
    }));
    Outcome<capture::Capture> read = capture::parse_capture(bytes);
    EXPECT_TRUE(read);
    return std::move(*read);
}

struct MadeProfile {
    explicit MadeProfile(const std::function<void(capture::KnownCapture &)> &write,
                         const ProfileOptions &options = {}) {
        std::string bytes;
        capture::KnownCapture out([&bytes](std::string_view part) {
            bytes += part;
            return true;
        });
        write(out);
        EXPECT_TRUE(out.writer().finish("finished"));
        const Outcome<capture::Capture> capture = capture::parse_capture(bytes);
        EXPECT_TRUE(capture);
        if (capture) profile = make_profile(*capture, options, frames);
    }
    explicit MadeProfile(const std::string &name, const ProfileOptions &options = {})
        : profile(make_profile(read_known(name), options, frames)) {}
    Picture picture() const { return {frames, profile}; }

    FrameTable frames;
    Profile profile;
};

}  // namespace tapir::report
