// SPDX-License-Identifier: GPL-2.0-or-later
// Shares and their intervals: against published ones, against arithmetic, and how often they hold the truth.
#include "report/shares.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "report/picture.h"
#include "unit/report/made_profile.h"

namespace tapir::report {
namespace {

// R. G. Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3: the score method.
TEST(Shares, IntervalsAreThePublishedOnes) {
    struct {
        double hits, samples, low, high;
    } const published[] = {{81, 263, .2553, .3662}, {15, 148, .0624, .1605}, {0, 20, 0, .1611}, {1, 29, .0061, .1718}};
    for (const auto &one : published) {
        const Share share = interval_of(one.hits / one.samples, one.samples);
        EXPECT_NEAR(share.low, one.low, 5e-5) << one.hits;
        EXPECT_NEAR(share.high, one.high, 5e-5) << one.hits;
    }
    EXPECT_EQ(interval_of(0, 0).low, 0);
    EXPECT_EQ(interval_of(0, 0).high, 1);
}

// Stacks of the functions a and b, each below main.
class TwoFunctions {
  public:
    TwoFunctions() {
        for (const char *name : {"main", "a", "b"}) {
            FrameText text;
            text.name = name;
            text.object = name == std::string("main") ? "/bin/main" : "/lib/both";
            frames.number(std::move(text));
        }
        profile.meta.unit = "microseconds";
        profile.threads.emplace_back();
    }
    void add(bool is_a, int64_t value, uint64_t count = 1) {
        const auto &boxes = profile.stacks.try_emplace({0, is_a ? 1u : 2u}, is_a).first->first;
        Row row;
        row.frames = boxes;
        row.value = value;
        row.count = count;
        profile.rows.push_back(row);
        profile.total += value;
        profile.count += count;
    }
    const Share share_of_a() const {
        for (const SelfAndTotal &function : shares_of(profile, frames).functions)
            if (function.frame == 1) return function.total;
        return interval_of(0, static_cast<double>(profile.count));
    }

    FrameTable frames;
    Profile profile;
};

// 3 of 10 by value: a has samples of 1 and 2, b of 3 and 4. The variance of the ratio is
// (0.7^2 * 5 + 0.3^2 * 25) / 100 = 0.047, as of 0.21 / 0.047 samples of one value. All of them are as 100 / 30.
TEST(Shares, LargeSamplesCountForMore) {
    TwoFunctions made;
    made.add(true, 1);
    made.add(true, 2);
    made.add(false, 3);
    made.add(false, 4);
    const Shares shares = shares_of(made.profile, made.frames);
    EXPECT_NEAR(shares.effective, 100.0 / 30, 1e-12);
    EXPECT_FALSE(shares.widened);
    ASSERT_EQ(shares.functions.size(), 3u);
    EXPECT_EQ(shares.functions[0].total.value, 10);
    EXPECT_EQ(shares.functions[0].self.value, 0);
    EXPECT_EQ(made.frames[shares.functions[2].frame].name, "a");
    const Share want = interval_of(.3, .21 / .047), have = shares.functions[2].self;
    EXPECT_NEAR(have.low, want.low, 1e-12);
    EXPECT_NEAR(have.high, want.high, 1e-12);
    ASSERT_EQ(shares.objects.size(), 2u);
    EXPECT_EQ(shares.objects[0].name, "/bin/main");
    EXPECT_EQ(shares.objects[0].self.value, 0);
    EXPECT_EQ(shares.objects[1].self.value, 10);
    // Samples that each have the value 1, and such as are counted, are equal.
    TwoFunctions ones;
    ones.add(true, 30, 30);
    ones.add(false, 70, 70);
    EXPECT_NEAR(shares_of(ones.profile, ones.frames).effective, 100, 1e-9);
    EXPECT_FALSE(shares_of(ones.profile, ones.frames).widened);
    EXPECT_NEAR(ones.share_of_a().low, interval_of(.3, 100).low, 1e-12);
}

// A stack that two frames fit counts once; files are searched, too.
TEST(Shares, PatternsCountAStackOnce) {
    TwoFunctions made;
    made.add(true, 30);
    made.add(false, 70);
    made.profile.match = {"^(main|a)$", "^[ab]$", "lib/", "^a$", "nothing"};
    const std::vector<SelfAndTotal> matches = shares_of(made.profile, made.frames).matches;
    const std::vector<std::pair<int64_t, int64_t>> want = {{30, 100}, {100, 100}, {100, 100}, {30, 30}, {0, 0}};
    ASSERT_EQ(matches.size(), want.size());
    for (size_t i = 0; i < want.size(); i++) {
        EXPECT_EQ(matches[i].name, made.profile.match[i]);
        EXPECT_EQ(matches[i].self.value, want[i].first) << i;
        EXPECT_EQ(matches[i].total.value, want[i].second) << i;
    }
    EXPECT_EQ(matches[4].total.low, 0);
    EXPECT_GT(matches[4].total.high, 0);
    EXPECT_EQ(pattern_problem("a|b"), "");
    EXPECT_NE(pattern_problem("a("), "");
}

// Waits of random lengths, a's longer ones: how many of 2000 sessions have an interval that holds the share of all
// waits.
double coverage(bool merged, int waits) {
    std::mt19937_64 random(42);
    std::exponential_distribution<double> length(1);
    std::bernoulli_distribution is_a(.2);
    const double truth = .2 * 3 / (.2 * 3 + .8);
    int good = 0;
    for (int session = 0; session < 2000; session++) {
        TwoFunctions made;
        int64_t sums[2] = {0, 0};
        uint64_t counts[2] = {0, 0};
        for (int i = 0; i < waits; i++) {
            const bool a = is_a(random);
            const auto value = static_cast<int64_t>(std::ceil(1e6 * length(random) * (a ? 3 : 1)));
            if (!merged) made.add(a, value);
            sums[a] += value;
            counts[a]++;
        }
        for (const bool a : {false, true})
            if (merged && counts[a]) made.add(a, sums[a], counts[a]);
        const Share share = made.share_of_a();
        good += share.low <= truth && truth <= share.high;
    }
    return good / 2000.0;
}

// With 2000 sessions, chance alone gives 0.95 more or less 0.015 (three standard deviations).
TEST(Shares, IntervalsHoldTheTruthAsOftenAsTheySay) {
    EXPECT_NEAR(coverage(false, 400), .95, .02);
    EXPECT_GE(coverage(false, 50), .90);  // few samples that differ by much
    EXPECT_GE(coverage(true, 400), .95);  // sums alone
}

TEST(Shares, AreJson) {
    ProfileOptions options;
    options.match = {"mem", "\"\\d"};
    const MadeProfile made("clean", options);
    const auto report = nlohmann::json::parse(render_shares(made.picture()));
    EXPECT_EQ(report["v"], 1);
    EXPECT_EQ(report["quality"]["verdict"], "good");
    int64_t self = 0;
    for (const auto &function : report["functions"])
        self += function["self"]["value"].get<int64_t>();
    EXPECT_EQ(self, report["value"]);
    EXPECT_EQ(report["matches"][0]["total"]["value"], 3500);
    EXPECT_EQ(report["matches"][1]["pattern"], "\"\\d");
    // No samples: nothing is known.
    const auto nothing = nlohmann::json::parse(render_shares(MadeProfile("nothing").picture()));
    EXPECT_EQ(nothing["functions"].size(), 0u);
    EXPECT_FALSE(nothing.contains("matches"));
}

}  // namespace
}  // namespace tapir::report
