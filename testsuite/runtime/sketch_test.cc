// SPDX-License-Identifier: GPL-2.0-or-later
// @percentile against sorted samples.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "map_fixture.h"

extern "C" {
#include <tapir/map_layout.h>

#include "sketch.h"
}

namespace tapir::test {
namespace {

constexpr s64 kLeast = INT64_MIN, kMost = INT64_MAX;

tapir_stat_desc sketch_descriptor() {
    tapir_stat_desc desc = stat_descriptor();
    desc.sketch = 1;
    return desc;
}

class Sketch : public Map {
  protected:
    struct Scalar {
        Scalar() : slots(tapir_stat_create(&desc, tapir_host.ncpus)) {}
        ~Scalar() { tapir_stat_destroy(slots); }
        Scalar(const Scalar &) = delete;
        void add(s64 value, u32 cpu = 0) { tapir_stat_add(slots, &desc, cpu, value); }
        tapir_stat_sum read() const {
            tapir_stat_sum s;
            tapir_stat_read(slots, &desc, &s);
            return s;
        }
        tapir_stat_desc desc = sketch_descriptor();
        tapir_stat_slot *slots;
    };

    s64 percentile(const tapir_stat_sum &sum, s64 part, s64 whole = 100) {
        return tapir_stat_percentile(c_, &sum, part, whole, &kSite);
    }
    void add(tapir_map *m, s64 key, s64 value) {
        tapir_val k = val(key);
        tapir_map_add_stat(c_, m, &k, value, &kSite);
    }
    s64 percentile(tapir_map *m, s64 key, s64 part, s64 whole = 100) {
        tapir_val k = val(key);
        tapir_stat_sum s;
        tapir_map_get_stat(m, &k, &s);
        return percentile(s, part, whole);
    }
    std::string error() {
        std::string message = c_->failed ? c_->message : "";
        c_->failed = 0;
        return message;
    }
    // The nearest rank.
    static s64 exact(const std::vector<s64> &sorted, s64 part, s64 whole) {
        const auto rank = static_cast<size_t>((static_cast<s64>(sorted.size()) * part + whole - 1) / whole);
        return sorted[rank ? rank - 1 : 0];
    }
    static bool is_near(s64 estimate, s64 value) {
        const auto wanted = static_cast<long double>(value);
        return std::abs(static_cast<long double>(estimate) - wanted) <= 0.01L * std::abs(wanted);
    }
    void compare(std::vector<s64> samples, const char *what) {
        std::mt19937 random(7);
        Scalar s;
        for (s64 sample : samples)
            s.add(sample, static_cast<u32>(random() % tapir_host.ncpus));
        std::sort(samples.begin(), samples.end());
        const tapir_stat_sum sum = s.read();
        for (s64 part = 0; part <= 1000; part++) {
            const s64 wanted = exact(samples, part, 1000), got = percentile(sum, part, 1000);
            ASSERT_TRUE(is_near(got, wanted)) << what << ": " << got << " for " << wanted << " at " << part;
        }
        EXPECT_EQ(percentile(sum, 0), samples.front());
        EXPECT_EQ(percentile(sum, 100), samples.back());
        EXPECT_EQ(error(), "");
    }
};

TEST_F(Sketch, EveryKindOfDistribution) {
    std::mt19937_64 random(1);
    const auto samples = [&](size_t count, auto next) {
        std::vector<s64> list;
        for (size_t i = 0; i < count; i++)
            list.push_back(static_cast<s64>(next()));
        return list;
    };
    std::uniform_int_distribution<s64> any(kLeast, kMost), small(-300, 300), bits(0, 62);
    std::lognormal_distribution<double> latency(10, 2), heavy(20, 6);
    std::normal_distribution<double> around_zero(0, 1e6);
    compare(samples(20000, [&] { return any(random); }), "the whole range");
    compare(samples(20000, [&] { return small(random); }), "small");
    compare(samples(20000, [&] { return any(random) >> bits(random); }), "every size");
    compare(samples(20000, [&] { return latency(random); }), "log-normal");
    compare(samples(20000, [&] { return std::min(heavy(random), 9e18); }), "heavy tail");
    compare(samples(20000, [&] { return around_zero(random); }), "normal");
    compare(samples(20000, [&] { return small(random) < 0 ? 5 : 1000000; }), "two values");
    compare(samples(3, [&] { return any(random); }), "few");
    compare({0}, "zero");
    compare({-1}, "minus one");
    compare({kLeast, kMost}, "the ends");
    compare({kLeast, kLeast, kLeast, kLeast + 1, -1, 0, 1, kMost - 1, kMost, kMost, kMost}, "near the ends");
}

// Each value as the middle one of three: no clamping to the smallest and largest sample hides the counter's error.
TEST_F(Sketch, ErrorOfEachCounter) {
    std::vector<s64> values;
    for (s64 n = 0; n < 5000; n++)
        values.push_back(n);
    for (u32 shift = 0; shift < 57; shift++)
        for (s64 n = 50; n <= 100; n++)
            for (s64 near : {-1, 0, 1})
                values.push_back(n * (s64{1} << shift) + near);
    for (s64 n : values)
        for (s64 value : {n, -n}) {
            Scalar s;
            s.add(kLeast);
            s.add(value);
            s.add(kMost);
            ASSERT_TRUE(is_near(percentile(s.read(), 50), value)) << value;
        }
}

TEST_F(Sketch, RanksAreNearest) {
    Scalar s;
    for (s64 i = 1; i <= 4; i++)
        s.add(i);
    const tapir_stat_sum sum = s.read();
    EXPECT_EQ(percentile(sum, 25), 1);
    EXPECT_EQ(percentile(sum, 26), 2);
    EXPECT_EQ(percentile(sum, 50), 2);
    EXPECT_EQ(percentile(sum, 51), 3);
    EXPECT_EQ(percentile(sum, 999, 1000), 4);
    EXPECT_EQ(percentile(sum, 1, 4), 1);
    EXPECT_EQ(percentile(sum, 250000001, 1000000000), 2);
}

TEST_F(Sketch, WhatIsNoPercentile) {
    Scalar s;
    EXPECT_EQ(percentile(s.read(), 50), 0);
    EXPECT_EQ(error(), "empty aggregate");
    s.add(1);
    percentile(s.read(), 101);
    EXPECT_EQ(error(), "percentile must be 0 to 100, not 101");
    percentile(s.read(), -1);
    EXPECT_EQ(error(), "percentile must be 0 to 100, not -1");
    percentile(s.read(), 1001, 1000);
    EXPECT_EQ(error(), "percentile must be 0 to 1000, not 1001");
    percentile(s.read(), 0, 0);
    EXPECT_EQ(error(), "percentile: the whole must be 1 to 1000000000, not 0");
    percentile(s.read(), 5, kMost);
    EXPECT_EQ(error(), "percentile: the whole must be 1 to 1000000000, not 9223372036854775807");
}

TEST_F(Sketch, ClearForgets) {
    Scalar s;
    for (s64 i = 0; i < 100; i++)
        s.add(1000 * i, static_cast<u32>(i % 4));
    tapir_stat_clear(s.slots, &s.desc);
    percentile(s.read(), 50);
    EXPECT_EQ(error(), "empty aggregate");
    s.add(7, 2);
    EXPECT_EQ(percentile(s.read(), 0), 7);
    EXPECT_EQ(percentile(s.read(), 100), 7);
}

TEST_F(Sketch, SampleUnderAnNmiIsCountedAndReported) {
    Scalar s;
    s.add(1);
    tapir_lock *lock = tapir_stat_lock(s.slots, &s.desc, 0);
    ASSERT_TRUE(tapir_port_trylock(lock));
    s.add(1000);  // as from an NMI over another sample
    tapir_port_unlock(lock);
    EXPECT_EQ(s.read().count, 2);
    EXPECT_EQ(percentile(s.read(), 100), 1);
    EXPECT_EQ(take(TAPIR_REC_WARNING), "@percentile does not contain 1 samples taken in NMI context");
}

TEST_F(Sketch, ElementsAreApart) {
    for (bool stable : {true, false}) {
        Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT, 0, false, stable), 8, sketch_descriptor());
        for (u32 cpu = 0; cpu < 4; cpu++) {
            enter(cpu);
            for (s64 i = 1; i <= 100; i++) {
                add(a, 1, i * 1000);
                add(a, 2, -i);
            }
        }
        EXPECT_TRUE(is_near(percentile(a, 1, 90), 90000));
        EXPECT_EQ(percentile(a, 2, 90), -11);
        percentile(a, 3, 90);
        EXPECT_EQ(error(), "empty aggregate");
    }
}

// Blocks of removed elements serve others, clean.
TEST_F(Sketch, RemovedElementsGiveBackTheirCounters) {
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT), 2, sketch_descriptor());
    for (s64 round = 0; round < 100; round++) {
        for (u32 shift = 0; shift < 63; shift++) {
            add(a, round, s64{1} << shift);
            add(a, round, -(s64{1} << shift));
        }
        ASSERT_EQ(percentile(a, round, 1, 126), -(s64{1} << 62));
        ASSERT_EQ(percentile(a, round, 64, 126), 1);
        remove(a, round);
    }
    EXPECT_EQ(take(TAPIR_REC_WARNING), "");
    Array recycled(map_descriptor({TAPIR_LONG}, TAPIR_STAT, 0, true), 2, sketch_descriptor());
    for (s64 key = 0; key < 500; key++)
        add(recycled, key, key << (key % 50));
    EXPECT_TRUE(is_near(percentile(recycled, 499, 50), s64{499} << 49));
}

TEST_F(Sketch, CountersThatRunOutAreReported) {
    constexpr s64 kElements = 300;  // more than the least number of blocks allows for
    Array a(map_descriptor({TAPIR_LONG}, TAPIR_STAT), kElements, sketch_descriptor());
    for (s64 key = 0; key < kElements; key++)
        for (u32 shift = 0; shift < 60; shift += 8)
            add(a, key, s64{1} << shift);
    EXPECT_EQ(percentile(a, 0, 100), s64{1} << 56);
    EXPECT_EQ(take(TAPIR_REC_WARNING), "");
    percentile(a, kElements - 1, 100);
    EXPECT_EQ(take(TAPIR_REC_WARNING),
              "@percentile does not contain 8 samples: the array's elements use all of its counters; declare the array "
              "larger (ARRAY[N], -D MAXMAPENTRIES=N)");
    EXPECT_EQ(error(), "empty aggregate");
}

TEST_F(Sketch, FailedAllocation) {
    tapir_stat_desc desc = sketch_descriptor();
    for (int nth = 1; nth <= 3; nth++) {
        tapir_host.fail_alloc = nth;
        EXPECT_EQ(tapir_stat_create(&desc, 4), nullptr) << nth;
    }
}

}  // namespace
}  // namespace tapir::test
