// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "fixture.h"

namespace tapir::test {
namespace {

const tapir_site kStatSite = {"operator '@avg' at t.stp:1:1"};

class Stat : public Runtime {
  protected:
    struct Scalar {
        explicit Scalar(const tapir_stat_desc &d) : desc(d), slots(tapir_stat_create(&desc, tapir_host.ncpus)) {}
        ~Scalar() { tapir_stat_destroy(slots); }
        Scalar(const Scalar &) = delete;
        void add(s64 value, u32 cpu = 0) { tapir_stat_add(slots, &desc, cpu, value); }
        void add_weighted(s64 value, u64 weight) { tapir_stat_add_weighted(slots, &desc, 0, value, weight); }
        tapir_stat_sum read() const {
            tapir_stat_sum s;
            tapir_stat_read(slots, &desc, &s);
            return s;
        }
        // With its first histogram.
        tapir_stat_sum read_hist(std::vector<u64> &buckets) const {
            tapir_stat_sum s;
            buckets.resize(desc.hists->buckets);
            tapir_stat_read_hist(slots, &desc, desc.hists, buckets.data(), &s);
            return s;
        }
        void clear() { tapir_stat_clear(slots, &desc); }
        tapir_stat_desc desc;
        tapir_stat_slot *slots;
    };
};

TEST_F(Stat, MergesCpus) {
    Scalar s(stat_descriptor(nullptr, true));
    s.add(5, 0);
    s.add(-3, 1);
    s.add(100, 3);
    tapir_stat_sum sum = s.read();
    EXPECT_EQ(sum.count, 3);
    EXPECT_EQ(sum.sum, 102);
    EXPECT_EQ(tapir_stat_min(c_, &sum, &kStatSite), -3);
    EXPECT_EQ(tapir_stat_max(c_, &sum, &kStatSite), 100);
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kStatSite), 34);
}

// As so many samples of the same value, which are what they are compared with.
TEST_F(Stat, WeightsCountAsSoManySamples) {
    Scalar s(stat_descriptor(&kLogHist, true)), same(stat_descriptor(&kLogHist, true));
    const std::pair<s64, u64> samples[] = {{5, 3}, {-7, 1}, {1000, 40}, {0, 2}};
    for (const auto &[value, weight] : samples) {
        s.add_weighted(value, weight);
        for (u64 i = 0; i < weight; i++)
            same.add(value);
    }
    std::vector<u64> buckets, same_buckets;
    const tapir_stat_sum sum = s.read_hist(buckets), expected = same.read_hist(same_buckets);
    EXPECT_EQ(sum.count, 46);
    EXPECT_EQ(sum.sum, expected.sum);
    EXPECT_EQ(sum.min, expected.min);
    EXPECT_EQ(sum.max, expected.max);
    EXPECT_EQ(buckets, same_buckets);
}

TEST_F(Stat, LimitsOfNumbers) {
    for (s64 n : {s64{INT64_MIN}, s64{INT64_MAX}, s64{0}, s64{-1}}) {
        Scalar s(stat_descriptor(&kLogHist, true));
        s.add(n);
        tapir_stat_sum sum = s.read();
        EXPECT_EQ(sum.min, n);
        EXPECT_EQ(sum.max, n);
        EXPECT_EQ(sum.sum, n);
    }
    Scalar s(stat_descriptor(nullptr, true));
    s.add(INT64_MAX, 0);
    s.add(1, 1);
    tapir_stat_sum sum = s.read();
    EXPECT_EQ(sum.sum, INT64_MIN);
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kStatSite), INT64_MIN / 2);
    Scalar negative(stat_descriptor());
    negative.add(-7);
    negative.add(0);
    sum = negative.read();
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kStatSite), -3);  // toward zero
}

TEST_F(Stat, EmptyRaises) {
    tapir_stat_desc desc = stat_descriptor(&kLogHist, true);
    desc.variance = 1;
    Scalar s(desc);
    std::vector<u64> buckets;
    tapir_stat_sum sum = s.read_hist(buckets);
    EXPECT_EQ(sum.count, 0);
    EXPECT_EQ(sum.sum, 0);
    auto raises = [&](const char *text) {
        EXPECT_EQ(c_->failed, TAPIR_FAIL_ERROR);
        EXPECT_STREQ(c_->message, text);
        EXPECT_EQ(c_->site, &kStatSite);
        c_->failed = 0;
    };
    EXPECT_EQ(tapir_stat_min(c_, &sum, &kStatSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_stat_max(c_, &sum, &kStatSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kStatSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_stat_variance(c_, &sum, &kStatSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_hist_get(c_, &sum, 64, &kStatSite), 0);
    raises("empty aggregate");
    const tapir_hist_title title = {"", "s", 0, 0, 0};
    tapir_hist_print(c_, &sum, &title, nullptr, &kStatSite);
    raises("empty aggregate");
    EXPECT_EQ(finish(), "");
}

TEST_F(Stat, ClearForgetsEverythingOnEveryCpu) {
    tapir_stat_desc desc = stat_descriptor(&kLogHist, true);
    desc.variance = 1;
    Scalar s(desc);
    for (u32 cpu = 0; cpu < 4; cpu++)
        s.add(1000 * (cpu + 1), cpu);
    s.clear();
    std::vector<u64> buckets;
    tapir_stat_sum sum = s.read_hist(buckets);
    EXPECT_EQ(sum.count, 0);
    EXPECT_EQ(sum.sum, 0);
    for (u64 bucket : buckets)
        EXPECT_EQ(bucket, 0u);
    s.add(7, 2);
    s.add(9, 0);
    sum = s.read_hist(buckets);
    EXPECT_EQ(sum.count, 2);
    EXPECT_EQ(sum.sum, 16);
    EXPECT_EQ(sum.min, 7);
    EXPECT_EQ(sum.max, 9);
    EXPECT_EQ(sum.variance, 2);
    EXPECT_EQ(sum.buckets[64 + 3], 1u);
    EXPECT_EQ(sum.buckets[64 + 4], 1u);
    s.clear();
    s.clear();
    EXPECT_EQ(s.read().count, 0);
}

// Expected values are those of Python's integers: variance(x) = (n * sum(x^2) - sum(x)^2) // (n * (n - 1)).
struct VarianceCase {
    s64 first, step, count, variance;  // samples: first, first + step, ...
};

constexpr s64 kLeastSample = INT64_MIN, kMostSample = INT64_MAX;

TEST_F(Stat, VariancesAreExact) {
    tapir_stat_desc desc = stat_descriptor();
    desc.variance = 1;
    for (const VarianceCase &c : std::initializer_list<VarianceCase>{
             {1, 1, 1000, 83416},
             {1, 1, 5, 2},
             {5, 0, 1, 0},
             {7, 0, 100, 0},
             {-1000, 1, 2001, 333833},
             {0, 10000000, 10, 916666666666666},
             {-3, 2, 2, 2},
             {1000000000000000000, 1, 1000, 83416},
             {-1000000000000000000, -7, 999, 4079250},
             {9223372036854772810, 3, 1000, 750750},
             {kLeastSample, 1, 64, 346},
             {-4611686018427387904, 18014398509481984, 512, kMostSample},
             {3037000498, 1, 4096, 1398442},
             {0, 2147483648, 100, kMostSample},
             {-4611686018427387904, 9007199254740993, 1024, kMostSample},
         })
        for (u32 cpus : {1u, 3u, 4u}) {
            Scalar s(desc);
            for (s64 i = 0; i < c.count; i++)
                s.add(c.first + i * c.step, static_cast<u32>(i) % cpus);
            const tapir_stat_sum sum = s.read();
            EXPECT_EQ(tapir_stat_variance(c_, &sum, &kStatSite), c.variance) << c.first << " " << c.step << " " << cpus;
        }
}

// The same samples in any order and on any CPUs.
TEST_F(Stat, VariancesOfAnySamples) {
    struct {
        std::vector<s64> samples;
        s64 variance;
    } cases[] = {
        {{kLeastSample, kMostSample}, kMostSample},
        {{kLeastSample, kLeastSample, kLeastSample}, 0},
        {{kMostSample, kMostSample, kMostSample, kMostSample, 9223372036854775806}, 0},
        {{kLeastSample, kMostSample, -1, kLeastSample, 5}, kMostSample},
        {{306319, -464293, 555640, -248097, 667641, 447971, 976461, 764776, 551679, 367409, 934255, 111574},
         193597648637},
        {{1904202612, 639840853, 1721854523, -1661267722, -1088461400, 187951464, 317574981, -1216636254, -947116003,
          1141282117, 1276236631, 504454731},
         1454538400840970153},
        {{-3750798234, -4847279702, -75500745, -548004480, 1242556253, -165450766, -3415445973, -1328682729},
         4586869195917866035},
        {{0, 1}, 0},
        {{-1, 0}, 0},
        {{1, -1}, 2},
        {{4294967296, -4294967295}, kMostSample},
    };
    tapir_stat_desc desc = stat_descriptor(&kLogHist, true);
    desc.variance = 1;
    std::mt19937 random(9);
    for (auto &c : cases)
        for (int round = 0; round < 20; round++) {
            Scalar s(desc);
            std::shuffle(c.samples.begin(), c.samples.end(), random);
            for (s64 sample : c.samples)
                s.add(sample, static_cast<u32>(random() % 4));
            EXPECT_EQ(s.read().variance, c.variance) << testing::PrintToString(c.samples);
        }
}

TEST_F(Stat, VarianceUnderAnNmiIsCountedAndReported) {
    tapir_stat_desc desc = stat_descriptor();
    desc.variance = 1;
    Scalar s(desc);
    s.add(1);
    s.add(3);
    tapir_lock *lock = tapir_stat_lock(s.slots, &desc, 0);
    ASSERT_TRUE(tapir_port_trylock(lock));
    s.add(1000);  // as from an NMI over another sample
    tapir_port_unlock(lock);
    tapir_stat_sum sum = s.read();
    EXPECT_EQ(sum.count, 3);
    EXPECT_EQ(sum.lost, 1u);
    tapir_stat_variance(c_, &sum, &kStatSite);
    EXPECT_EQ(take(TAPIR_REC_WARNING), "@variance does not contain 1 samples taken in NMI context");
}

TEST_F(Stat, SeveralHistograms) {
    const tapir_hist_desc hists[] = {{TAPIR_HIST_LINEAR, 0, 4, 2, 5, 0},
                                     {TAPIR_HIST_LOG, 0, 0, 0, TAPIR_HIST_LOG_BUCKETS, 5},
                                     {TAPIR_HIST_LINEAR, 0, 10, 10, 4, 5 + TAPIR_HIST_LOG_BUCKETS}};
    tapir_stat_desc desc = stat_descriptor(hists, true);
    desc.nhists = 3;
    desc.buckets = 9 + TAPIR_HIST_LOG_BUCKETS;
    Scalar s(desc);
    s.add(3, 0);
    s.add(30, 1);
    s.add(-1, 1);
    const auto counts = [&](const tapir_hist_desc &hist) {
        std::vector<u64> buckets(hist.buckets);
        tapir_stat_sum sum;
        tapir_stat_read_hist(s.slots, &desc, &hist, buckets.data(), &sum);
        EXPECT_EQ(sum.count, 3);
        return buckets;
    };
    EXPECT_EQ(counts(hists[0]), (std::vector<u64>{1, 0, 1, 0, 1}));
    EXPECT_EQ(counts(hists[2]), (std::vector<u64>{1, 1, 0, 1}));
    std::vector<u64> log(TAPIR_HIST_LOG_BUCKETS);
    log[63] = log[66] = log[69] = 1;
    EXPECT_EQ(counts(hists[1]), log);
}

TEST_F(Stat, SlotsOfCpusAreOnDifferentLines) {
    for (const tapir_hist_desc *hist : {static_cast<const tapir_hist_desc *>(nullptr), &kLogHist}) {
        tapir_stat_desc desc = stat_descriptor(hist, true);
        EXPECT_EQ(tapir_stat_stride(&desc) % TAPIR_STAT_LINE, 0u);
        EXPECT_GE(tapir_stat_stride(&desc), 8u * (tapir_slot_words(&desc) + 1));
    }
}

TEST_F(Stat, FailedAllocation) {
    tapir_stat_desc desc = stat_descriptor();
    tapir_host.fail_alloc = 1;
    EXPECT_EQ(tapir_stat_create(&desc, 4), nullptr);
}

}  // namespace
}  // namespace tapir::test
