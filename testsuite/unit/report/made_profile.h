// SPDX-License-Identifier: GPL-2.0-or-later
// A profile of a capture that a test writes.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "report/known_captures.h"
#include "report/picture.h"

namespace tapir::report {

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
        read(bytes, options);
    }
    explicit MadeProfile(const std::string &name, const ProfileOptions &options = {}) {
        std::string bytes;
        EXPECT_TRUE(capture::write_known(name, [&bytes](std::string_view part) {
            bytes += part;
            return true;
        }));
        read(bytes, options);
    }
    Picture picture() const { return {frames, profile}; }

    FrameTable frames;
    Profile profile;

  private:
    void read(const std::string &bytes, const ProfileOptions &options) {
        const Outcome<capture::Capture> capture = capture::parse_capture(bytes);
        ASSERT_TRUE(capture);
        profile = make_profile(*capture, options, frames);
    }
};

}  // namespace tapir::report
