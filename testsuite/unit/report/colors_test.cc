// SPDX-License-Identifier: GPL-2.0-or-later
// Owners differ in lightness (CIE L*), which every eye and a grey print tell apart.
#include "report/colors_of_frames.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "report/page_texts.h"

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
    std::vector<double> owners;
    for (const Owner owner : {Owner::Own, Owner::Kernel, Owner::Script, Owner::Fact})
        owners.push_back(lightness(color_of(owner, {})));
    const double library = lightness(*shades.begin());
    for (const std::string &shade : shades)
        EXPECT_NEAR(lightness(shade), library, 1) << shade;
    owners.push_back(library);
    std::sort(owners.begin(), owners.end());
    for (size_t i = 1; i < owners.size(); i++)
        EXPECT_GE(owners[i] - owners[i - 1], 12) << owners[i];
}

// The page has the same colors. Its tests look at them with other eyes.
TEST(Colors, AreThoseOfThePage) {
    constexpr const char *kNames[] = {"own", "library", "kernel", "script", "fact"};
    const std::string page(kPageStyle.substr(0, kPageStyle.find(":root.dark")));
    const auto has = [&](const std::string &name, const std::string &color) {
        return page.find("--" + name + ": " + color + ";") != std::string::npos;
    };
    for (size_t owner = 0; owner < kOwners; owner++) {
        if (static_cast<Owner>(owner) == Owner::Library) continue;
        EXPECT_TRUE(has(kNames[owner], color_of(static_cast<Owner>(owner), {}))) << kNames[owner];
    }
    for (int i = 0; i < 100; i++) {
        FrameText frame;
        frame.object = "/usr/lib/lib" + std::to_string(i) + ".so";
        const std::string shade = color_of(Owner::Library, frame);
        EXPECT_TRUE(has("library", shade) || has("library-2", shade) || has("library-3", shade)) << shade;
    }
}

// Black text on a box, white on that of a script: WCAG asks for 4.5 to 1.
TEST(Colors, TextCanBeRead) {
    const auto luminance_of = [](const std::string &color) {
        const Light light = light_of(color);
        return 0.2126 * light.red + 0.7152 * light.green + 0.0722 * light.blue;
    };
    EXPECT_GE(1.05 / (luminance_of(color_of(Owner::Script, {})) + 0.05), 4.5);
    std::vector<std::string> colors;
    for (const Owner owner : {Owner::Own, Owner::Library, Owner::Kernel, Owner::Fact})
        colors.push_back(color_of(owner, {}));
    for (const Change change : {Change::Noise, Change::More, Change::Less, Change::New, Change::Gone})
        for (const double points : {0.1, 1.0, 100.0})
            colors.push_back(color_of({change, points}));
    // #111 has a luminance of 0.0056.
    for (const std::string &color : colors)
        EXPECT_GE((luminance_of(color) + 0.05) / (0.0056 + 0.05), 4.5) << color;
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
