// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/colors_of_frames.h"

#include <algorithm>
#include <cmath>

#include "common/plain_text.h"

namespace tapir::report {

namespace {

struct Color {
    double red, green, blue;
};

// As report/page/page.css has them for light pages.
constexpr Color kOwnerColors[kOwners] = {
    {0xea, 0x97, 0x1a}, {0xaf, 0xdc, 0xe7}, {0x7d, 0x73, 0xb7}, {0x30, 0x66, 0x30}, {0xfd, 0xfc, 0xfb}};
constexpr Color kLibraryShades[] = {kOwnerColors[1], {0xc0, 0xd8, 0xed}, {0xae, 0xdf, 0xd4}};
constexpr Color kNoise = {0xe6, 0xe4, 0xdf}, kMore = {0xfc, 0xe3, 0xb8}, kMuchMore = {0xee, 0x8a, 0x0c},
                kLess = {0xd5, 0xe6, 0xfa}, kMuchLess = {0x5b, 0x9b, 0xe6};

// FNV-1a: the same in every run.
uint32_t hash_of(std::string_view text) {
    uint32_t hash = 2166136261u;
    for (const char byte : text)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619u;
    return hash ^ hash >> 15;
}

// `part` of the second, 0 to 1, and the rest of the first.
Color mixed(const Color &a, const Color &b, double part) {
    return {a.red + (b.red - a.red) * part, a.green + (b.green - a.green) * part, a.blue + (b.blue - a.blue) * part};
}

std::string text_of(const Color &color) {
    const auto channel = [](double value) { return static_cast<unsigned>(std::lround(std::clamp(value, 0.0, 255.0))); };
    return format("#%02x%02x%02x", channel(color.red), channel(color.green), channel(color.blue));
}

}  // namespace

std::string color_of(Owner owner, const FrameText &frame) {
    const Color &color = kOwnerColors[static_cast<size_t>(owner)];
    return text_of(owner == Owner::Library ? kLibraryShades[hash_of(base_name(frame.object)) % 3] : color);
}

std::string color_of(const Difference &difference) {
    // A difference of 10 points is as dark as it gets.
    const double strength = std::min(1.0, std::sqrt(std::abs(difference.points) / 10));
    switch (difference.change) {
        case Change::More:
        case Change::New:
            return text_of(mixed(kMore, kMuchMore, strength));
        case Change::Less:
        case Change::Gone:
            return text_of(mixed(kLess, kMuchLess, strength));
        case Change::Noise:
            break;
    }
    return text_of(kNoise);
}

}  // namespace tapir::report
