// SPDX-License-Identifier: GPL-2.0-or-later
// The governor against loads that are known: a processor on which probes are hit at a rate, and whose handlers take
// what they take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

extern "C" {
#include "governor.h"
}

namespace tapir::test {
namespace {

constexpr u64 kWindow = 100'000'000, kAllowed = kWindow / 20;  // a budget of 5 %
constexpr int kSeeds = 20;

struct Probe {
    u32 way_ns = 100, handler_ns = 2000;
    double per_window = 0;  // hits that the program makes
    tapir_governed governed = {};
    u64 hits = 0, handled = 0;  // in the last window
    u32 left_out = 0;           // before the last that was handled
};

class Processor {
  public:
    explicit Processor(u32 seed) : random_(seed) { tapir_governor_init(&governor_, kAllowed, nullptr, seed); }

    // One window with the hits of all probes, mixed. Returns what they took really.
    u64 window(std::vector<Probe *> probes) {
        std::vector<Probe *> order;
        for (Probe *p : probes) {
            p->hits = p->handled = 0;
            order.insert(order.end(), static_cast<size_t>(p->per_window), p);
        }
        std::shuffle(order.begin(), order.end(), random_);
        u64 took = 0;
        for (Probe *p : order)
            took += hit(*p);
        number_++;
        return took;
    }
    void pass(u32 windows) { number_ += windows; }
    const tapir_governor &governor() const { return governor_; }

  private:
    u64 hit(Probe &p) {
        p.hits++;
        const tapir_verdict verdict = tapir_governor_hit(&governor_, &p.governed, number_, p.way_ns, &p.left_out);
        if (verdict == TAPIR_VERDICT_SKIP) return p.way_ns;
        p.handled++;
        // Times vary by a half to either side.
        const u64 ns = p.handler_ns / 2 + random_() % (p.handler_ns + 1);
        if (verdict == TAPIR_VERDICT_MEASURE) tapir_governor_measured(&governor_, &p.governed, ns);
        return p.way_ns + ns;
    }

    std::mt19937 random_;
    tapir_governor governor_;
    u32 number_ = 1000;
};

constexpr u64 kOnePercent = kWindow / 100;

TEST(Governor, LeavesALoadWithinTheBudgetAlone) {
    Processor processor(1);
    Probe probe{.per_window = 2000};  // 4.2 ms
    for (int i = 0; i < 50; i++) {
        processor.window({&probe});
        EXPECT_EQ(probe.handled, probe.hits) << i;
    }
}

TEST(Governor, KeepsASteadyLoadWithinTheBudget) {
    for (u32 seed = 1; seed <= kSeeds; seed++)
        for (const u32 handler : {2000u, 40000u, 1000000u}) {
            Processor processor(seed);
            Probe probe{.handler_ns = handler, .per_window = std::min(20000.0, 20.0 * kAllowed / (handler + 100.0))};
            u64 sum = 0, hits = 0, handled = 0;
            for (int i = 0; i < 40; i++) {
                const u64 took = processor.window({&probe});
                // At most twice the budget, and the way of all.
                EXPECT_LE(took, 2 * kAllowed + probe.hits * probe.way_ns + 2 * handler)
                    << seed << " " << handler << " " << i;
                if (i < 2) continue;
                sum += took;
                hits += probe.hits;
                handled += probe.handled;
            }
            const double least = static_cast<double>(hits * probe.way_ns);
            EXPECT_LE(static_cast<double>(sum) / 38, std::max<double>(kAllowed + kOnePercent, least / 38 + kOnePercent))
                << seed << " " << handler;
            // The room is spent, if it is more than one handler.
            const double room = 38.0 * kAllowed - least;
            if (handler < kAllowed / 10) {
                EXPECT_GT(static_cast<double>(handled) * handler, 0.5 * room) << seed << " " << handler;
            }
        }
}

TEST(Governor, CatchesATenfoldStepWithinThreeWindows) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        Processor processor(seed);
        Probe probe{.per_window = 2000};
        for (int i = 0; i < 20; i++)
            processor.window({&probe});
        probe.per_window = 20000;
        for (int i = 0; i < 10; i++) {
            const u64 took = processor.window({&probe});
            EXPECT_LE(took, 2 * kAllowed + 20000 * probe.way_ns + probe.handler_ns) << seed << " " << i;
            if (i >= 3) {
                EXPECT_LE(took, kAllowed + kOnePercent) << seed << " " << i;
            }
        }
    }
}

TEST(Governor, ASlowerHandlerIsCaughtToo) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        Processor processor(seed);
        Probe probe{.per_window = 2000};
        for (int i = 0; i < 20; i++)
            processor.window({&probe});
        probe.handler_ns *= 10;
        for (int i = 0; i < 10; i++) {
            const u64 took = processor.window({&probe});
            if (i >= 3) {
                EXPECT_LE(took, kAllowed + kOnePercent) << seed << " " << i;
            }
        }
    }
}

// One handler in a thousand was interrupted for a long time, as by a hypervisor: that is not what handlers take.
TEST(Governor, InterruptionsDoNotThinALoadWithinTheBudget) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        tapir_governor governor;
        tapir_governed probe = {};
        u32 handled = 0;
        tapir_governor_init(&governor, kAllowed, nullptr, seed);
        for (u32 window = 1; window <= 40; window++)
            for (u32 i = 0; i < 1000; i++) {
                u32 left_out;
                const tapir_verdict verdict = tapir_governor_hit(&governor, &probe, window, 100, &left_out);
                if (verdict == TAPIR_VERDICT_MEASURE)
                    tapir_governor_measured(&governor, &probe, i == 700 ? 10'000'000 : 2000);
                handled += verdict != TAPIR_VERDICT_SKIP;
            }
        EXPECT_EQ(handled, 40000u) << seed;
    }
}

// The first handler was interrupted. The next one that is measured shows it, and a few windows later all are handled.
TEST(Governor, AnInterruptedFirstHandlerIsForgotten) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        tapir_governor governor;
        tapir_governed probe = {};
        u32 handled = 0, measured = 0;
        tapir_governor_init(&governor, kAllowed, nullptr, seed);
        for (u32 window = 1; window <= 40; window++)
            for (u32 i = 0; i < 1000; i++) {
                u32 left_out;
                const tapir_verdict verdict = tapir_governor_hit(&governor, &probe, window, 100, &left_out);
                if (verdict == TAPIR_VERDICT_MEASURE)
                    tapir_governor_measured(&governor, &probe, measured++ ? 2000 : 50'000'000);
                handled += window > 20 && verdict != TAPIR_VERDICT_SKIP;
            }
        EXPECT_EQ(handled, 20000u) << seed;
    }
}

TEST(Governor, AProbeThatIsHitRarelyStaysWhole) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        Processor processor(seed);
        Probe often{.way_ns = 40, .per_window = 20000}, rare{.way_ns = 40, .per_window = 200};
        u64 sum = 0;
        for (int i = 0; i < 40; i++) {
            const u64 took = processor.window({&often, &rare});
            if (i < 3) continue;
            sum += took;
            EXPECT_EQ(rare.handled, rare.hits) << seed << " " << i;
            EXPECT_LT(often.handled, often.hits / 4) << seed << " " << i;
        }
        EXPECT_LE(sum / 37, kAllowed + kOnePercent) << seed;
    }
}

TEST(Governor, ManyProbesShareTheBudget) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        Processor processor(seed);
        std::vector<Probe> probes(50, Probe{.way_ns = 20, .per_window = 1000});
        std::vector<Probe *> all;
        for (Probe &p : probes)
            all.push_back(&p);
        u64 sum = 0;
        for (int i = 0; i < 60; i++) {
            const u64 took = processor.window(all);
            if (i >= 20) sum += took;
        }
        EXPECT_LE(sum / 40, kAllowed + kOnePercent) << seed;
        EXPECT_GE(sum / 40, kAllowed / 2) << seed;
    }
}

TEST(Governor, IdleSpikeIdle) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        Processor processor(seed);
        Probe probe;
        for (int round = 0; round < 5; round++) {
            processor.pass(100);
            probe.per_window = 20000;
            EXPECT_LE(processor.window({&probe}), 2 * kAllowed + 20000 * probe.way_ns + probe.handler_ns);
            EXPECT_LE(processor.window({&probe}), 2 * kAllowed + 20000 * probe.way_ns + probe.handler_ns);
            processor.pass(100);
            probe.per_window = 100;
            processor.window({&probe});
            EXPECT_EQ(probe.handled, probe.hits) << seed << " " << round;
        }
    }
}

// Hits come by turns. Each kind has its share of those that are handled: within four standard deviations.
TEST(Governor, StridesDoNotBeatWithTheLoad) {
    for (const u32 turns : {2u, 3u, 8u, 16u})
        for (u32 seed = 1; seed <= kSeeds; seed++) {
            tapir_governor governor;
            tapir_governed probe = {};
            tapir_governor_init(&governor, kAllowed, nullptr, seed);
            std::vector<u64> handled(turns);
            u64 all = 0;
            for (u32 window = 1; window <= 40; window++)
                for (u32 i = 0; i < 20000; i++) {
                    u32 left_out;
                    const tapir_verdict verdict = tapir_governor_hit(&governor, &probe, window, 100, &left_out);
                    if (verdict == TAPIR_VERDICT_SKIP) continue;
                    if (verdict == TAPIR_VERDICT_MEASURE) tapir_governor_measured(&governor, &probe, 2000);
                    if (window <= 3) continue;
                    handled[i % turns]++;
                    all++;
                }
            const double p = 1.0 / turns, expected = static_cast<double>(all) * p;
            for (const u64 count : handled)
                EXPECT_NEAR(static_cast<double>(count), expected, 4 * std::sqrt(expected * (1 - p)))
                    << turns << " " << seed;
        }
}

// Estimates of how many hits there were, and how many of a kind.
class Estimates {
  public:
    explicit Estimates(u32 seed) : random_(seed) { tapir_governor_init(&governor_, kAllowed, nullptr, seed); }

    // One window with so many hits, of which each is of the kind with this probability.
    void window(u32 hits, double share) {
        std::bernoulli_distribution is_of_kind(share);
        for (u32 i = 0; i < hits; i++)
            hit(is_of_kind(random_));
        number_++;
    }

    u64 handled() const { return handled_; }
    u64 hits() const { return all_.hits; }
    u64 refused() const { return probe_.refused; }
    // In standard deviations.
    double error_of_all() const { return all_.error(); }
    double error_of_kind() const { return kind_.error(); }

  private:
    struct Sum {
        u64 hits = 0;
        double estimate = 0, variance = 0;
        double error() const { return (estimate - static_cast<double>(hits)) / std::sqrt(variance); }
    };

    void hit(bool is_of_kind) {
        u32 left_out = 0;
        const u64 refused = probe_.refused;
        const tapir_verdict verdict = tapir_governor_hit(&governor_, &probe_, number_, 100, &left_out);
        if (verdict == TAPIR_VERDICT_MEASURE) tapir_governor_measured(&governor_, &probe_, 2000);
        handled_ += verdict != TAPIR_VERDICT_SKIP;
        const double stride = verdict == TAPIR_VERDICT_SKIP ? probe_.stride : left_out + 1.0;
        if (probe_.refused > refused) return;
        for (Sum *sum : {&all_, &kind_}) {
            if (sum == &kind_ && !is_of_kind) continue;
            sum->hits++;
            // Each hit adds its stride with the probability of one in that.
            sum->variance += stride - 1;
            if (verdict != TAPIR_VERDICT_SKIP) sum->estimate += stride;
        }
    }

    std::mt19937 random_;
    tapir_governor governor_;
    tapir_governed probe_ = {};
    u32 number_ = 1;
    u64 handled_ = 0;
    Sum all_, kind_;
};

TEST(Governor, CorrectedCountsAreWithinThreeStandardDeviations) {
    for (const double share : {0.5, 0.1, 0.01})
        for (u32 seed = 1; seed <= kSeeds; seed++) {
            Estimates estimates(seed);
            for (int i = 0; i < 40; i++)
                estimates.window(20000, share);
            EXPECT_LT(estimates.handled(), estimates.hits() / 4) << seed;
            EXPECT_LT(estimates.refused(), estimates.hits() / 100) << seed;
            EXPECT_LT(std::fabs(estimates.error_of_all()), 3) << share << " " << seed;
            EXPECT_LT(std::fabs(estimates.error_of_kind()), 3) << share << " " << seed;
        }
}

// A load whose kind changes with its rate: one number that scales all counts is wrong by far here.
TEST(Governor, CorrectedCountsFollowTheLoad) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        Estimates estimates(seed);
        for (int i = 0; i < 40; i++)
            estimates.window(i % 8 < 6 ? 2000 : 40000, i % 8 < 6 ? 0.9 : 0.1);
        EXPECT_LT(std::fabs(estimates.error_of_all()), 3) << seed;
        EXPECT_LT(std::fabs(estimates.error_of_kind()), 3) << seed;
        EXPECT_LT(estimates.refused(), estimates.hits() / 100) << seed;
    }
}

// A handler that runs in any case is part of what the others may take.
TEST(Governor, ThoseThatFollowArePartOfTheBudget) {
    for (u32 seed = 1; seed <= kSeeds; seed++) {
        tapir_governor governor;
        tapir_governed first = {}, second = {};
        u64 sum = 0, pairs = 0;
        tapir_governor_init(&governor, kAllowed, nullptr, seed);
        for (u32 window = 1; window <= 40; window++)
            for (u32 i = 0; i < 10000; i++) {
                u32 left_out;
                u64 took = 200;
                const tapir_verdict verdict = tapir_governor_hit(&governor, &first, window, 100, &left_out);
                if (verdict == TAPIR_VERDICT_MEASURE) tapir_governor_measured(&governor, &first, 200);
                if (verdict == TAPIR_VERDICT_SKIP) {
                    tapir_governor_pass(&governor, &second, window, 100);
                } else {
                    if (tapir_governor_follow(&governor, &second, window, 100) == TAPIR_VERDICT_MEASURE)
                        tapir_governor_measured(&governor, &second, 10000);
                    took += 10200;
                    pairs++;
                }
                if (window > 4) sum += took;
            }
        EXPECT_LE(sum / 36, kAllowed + kOnePercent) << seed;
        EXPECT_GT(pairs, 40 * kAllowed / 4 / 10400) << seed;
    }
}

// Hits that cost more by themselves than is allowed: that cannot be helped here.
TEST(Governor, LeavesALittleWhereTheWayAloneIsTooMuch) {
    Processor processor(1);
    Probe probe{.way_ns = 1600, .handler_ns = 100, .per_window = 10000};  // 16 ms
    for (int i = 0; i < 6; i++)
        processor.window({&probe});
    // Handlers have a 16th of the budget.
    EXPECT_LE(probe.handled * probe.handler_ns, kAllowed / 8);
    EXPECT_GE(probe.handled * probe.handler_ns, kAllowed / 40);
}

}  // namespace
}  // namespace tapir::test
