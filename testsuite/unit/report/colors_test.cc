// SPDX-License-Identifier: GPL-2.0-or-later
// Owners differ in lightness (CIE L*), which every eye and a grey print tell apart.
#include "report/colors_of_frames.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace tapir::report {
namespace {

struct Light {
    double red, green, blue;
};

// Linear light of "#rrggbb", as sRGB defines it.
Light light_of(const std::string &color) {
    const auto channel = [&](size_t at) {
        const double value = std::stoi(color.substr(at, 2), nullptr, 16) / 255.0;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return {channel(1), channel(3), channel(5)};
}

double lightness(const std::string &color) {
    const Light light = light_of(color);
    return 116 * std::cbrt(0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue) - 16;
}

TEST(Colors, OwnersDifferInLightness) {
    // By the definition: white is 100, and #777777 is 50.
    EXPECT_NEAR(lightness("#ffffff"), 100, 0.01);
    EXPECT_NEAR(lightness("#777777"), 50, 0.1);
    std::set<std::string> shades;
    for (int i = 0; i < 100; i++) {
        FrameText frame;
        frame.object = "/usr/lib/lib" + std::to_string(i) + ".so";
        shades.insert(color_of(Owner::Library, frame));
        EXPECT_EQ(color_of(Owner::Kernel, frame), color_of(Owner::Kernel, {}));
    }
    EXPECT_EQ(shades.size(), 3u);
    const double own = lightness(color_of(Owner::Own, {})), kernel = lightness(color_of(Owner::Kernel, {}));
    EXPECT_GE(std::round(own) - std::round(kernel), 12);
    for (const std::string &library : shades)
        EXPECT_GE(std::round(lightness(library)) - std::round(own), 12) << library;
}

// Black text on a box: WCAG asks for 4.5 to 1.
TEST(Colors, TextCanBeRead) {
    std::vector<std::string> colors;
    for (size_t owner = 0; owner < kOwners; owner++)
        colors.push_back(color_of(static_cast<Owner>(owner), {}));
    for (const Change change : {Change::Noise, Change::More, Change::Less, Change::New, Change::Gone})
        for (const double points : {0.1, 1.0, 100.0})
            colors.push_back(color_of({change, points}));
    // #111 has a luminance of 0.0056.
    for (const std::string &color : colors) {
        const Light light = light_of(color);
        const double luminance = 0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue;
        EXPECT_GE((luminance + 0.05) / (0.0056 + 0.05), 4.5) << color;
    }
}

// More is warm, less is cold, and a larger difference is darker.
TEST(Colors, OfDifferences) {
    const Light more = light_of(color_of({Change::More, 20})), less = light_of(color_of({Change::Less, -20}));
    EXPECT_GT(more.red, 2 * more.blue);
    EXPECT_GT(less.blue, 2 * less.red);
    EXPECT_LT(lightness(color_of({Change::More, 20})), lightness(color_of({Change::More, 0.5})));
    EXPECT_EQ(color_of({Change::Noise, 20}), color_of({Change::Noise, 0}));
    EXPECT_EQ(color_of({Change::New, 20}), color_of({Change::More, 20}));
}

}  // namespace
}  // namespace tapir::report
