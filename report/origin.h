// SPDX-License-Identifier: GPL-2.0-or-later
// The origin of a picture, which its head names first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/picture.h"

namespace tapir::report {

// Texts are valid UTF-8 without control characters. "" is not known, and not shown.
struct PictureOrigin {
    std::string program;  // "redis-server"; "whole machine" where there was no target
    std::string kind;     // of the value: "CPU time"
    std::string amount;   // "716 samples, 718 ms of processor time in 10.9 s"
    std::string total;    // of all that is shown: "718 ms"
    std::string command;  // that made the capture: "stap -o redis.html -x 411 -T 4 oncpu.stp"
    std::string target;   // "./orders 60"
    std::string host;     // "web1"
    std::string kernel;   // "Linux 6.1.0-56"
    std::string cpus;     // "2 CPUs, 997 Hz"
    std::string date;     // "28 Nov 2026, 05:43 +01:00"
};

PictureOrigin origin_of(const Picture &picture);
// The origin of the picture to compare with; there must be one.
PictureOrigin origin_before(const Picture &picture);

// "703 waits, 7.65 s", "716 samples, 718 ms of processor time"
std::string taken_text(const Picture &picture);
// "redis-server: CPU time"
std::string heading_of(const PictureOrigin &origin);
// "command · host · kernel · processors · date", of what is known.
std::string origin_line(const PictureOrigin &origin);
// For the heads of files: what the two above say, what there was before, and why there are no samples. None ends in a
// number, which would look like a folded stack.
std::vector<std::string> origin_lines(const Picture &picture);
// As clocks showed it where it was recorded, which was `zone` seconds ahead of UTC. "" for 0 and beyond the year 9999.
std::string date_text(uint64_t nanoseconds, int64_t zone);

}  // namespace tapir::report
