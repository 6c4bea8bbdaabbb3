// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/colors_of_frames.h"

#include <algorithm>
#include <cmath>

#include "common/plain_text.h"

namespace tapir::report {

namespace {

// FNV-1a: the same in every run.
uint32_t hash_of(std::string_view text) {
    uint32_t hash = 2166136261u;
    for (const char byte : text)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
    return hash ^ hash >> 15;
}

}  // namespace

Hue hue_of(const FrameText &frame) {
    const uint32_t shade = hash_of(frame.name) % 8;
    if (frame.origin == Origin::Mark || !frame.resolved) return {0, 0, 80};
    if (frame.origin == Origin::Kernel) return {26 + shade / 2, 92, 66 + shade};
    if (frame.origin == Origin::Script) return {205 + shade, 70, 72 + shade};
    constexpr unsigned kHues[] = {48, 75, 100, 130, 160, 178};
    return {kHues[hash_of(frame.object) % std::size(kHues)] + shade / 2, 62, 64 + shade};
}

Hue hue_of(const Difference &difference) {
    // A difference of 10 points is as dark as it gets.
    const auto strength = static_cast<unsigned>(std::min(1.0, std::sqrt(std::abs(difference.points) / 10)) * 35);
    switch (difference.change) {
        case Change::More:
            return {4, 88, 90 - strength};
        case Change::Less:
            return {212, 88, 90 - strength};
        case Change::New:
            return {285, 75, 88 - strength / 2};
        case Change::Gone:
            return {150, 40, 75};
        case Change::Noise:
            break;
    }
    return {0, 0, 86};
}

std::string color_text(const Hue &hue) {
    const double s = hue.saturation / 100.0, l = hue.lightness / 100.0, a = s * std::min(l, 1 - l);
    const auto channel = [&](double n) {
        const double k = std::fmod(n + hue.hue / 30.0, 12);
        return static_cast<unsigned>(std::lround(255 * (l - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0})))));
    };
    return format("#%02x%02x%02x", channel(0), channel(8), channel(4));
}

}  // namespace tapir::report
