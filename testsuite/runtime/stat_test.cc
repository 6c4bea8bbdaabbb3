// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstring>
#include <random>

#include "fixture.h"

namespace tapir::test {
namespace {

const tapir_site kSite = {"operator '@avg' at t.stp:1:1"};

class Stat : public Runtime {
  protected:
    struct Scalar {
        explicit Scalar(const tapir_stat_desc &d) : desc(d), slots(tapir_stat_create(&desc, tapir_host.ncpus)) {}
        ~Scalar() { tapir_stat_destroy(slots); }
        Scalar(const Scalar &) = delete;
        void add(s64 value, u32 cpu = 0) { tapir_stat_add(slots, &desc, cpu, value); }
        tapir_stat_sum read() const {
            tapir_stat_sum s;
            tapir_stat_read(slots, &desc, &s);
            return s;
        }
        void clear() { tapir_stat_clear(slots, &desc); }
        tapir_stat_desc desc;
        tapir_stat_slot *slots;
    };
};

TEST_F(Stat, MergesCpus) {
    Scalar s(stat_descriptor(TAPIR_HIST_NONE, true));
    s.add(5, 0);
    s.add(-3, 1);
    s.add(100, 3);
    tapir_stat_sum sum = s.read();
    EXPECT_EQ(sum.count, 3);
    EXPECT_EQ(sum.sum, 102);
    EXPECT_EQ(tapir_stat_min(c_, &sum, &kSite), -3);
    EXPECT_EQ(tapir_stat_max(c_, &sum, &kSite), 100);
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kSite), 34);
}

TEST_F(Stat, LimitsOfNumbers) {
    for (s64 n : {s64{INT64_MIN}, s64{INT64_MAX}, s64{0}, s64{-1}}) {
        Scalar s(stat_descriptor(TAPIR_HIST_LOG, true));
        s.add(n);
        tapir_stat_sum sum = s.read();
        EXPECT_EQ(sum.min, n);
        EXPECT_EQ(sum.max, n);
        EXPECT_EQ(sum.sum, n);
    }
    Scalar s(stat_descriptor(TAPIR_HIST_NONE, true));
    s.add(INT64_MAX, 0);
    s.add(1, 1);
    tapir_stat_sum sum = s.read();
    EXPECT_EQ(sum.sum, INT64_MIN);
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kSite), INT64_MIN / 2);
    Scalar negative(stat_descriptor());
    negative.add(-7);
    negative.add(0);
    sum = negative.read();
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kSite), -3);  // toward zero
}

TEST_F(Stat, EmptyRaises) {
    tapir_stat_desc desc = stat_descriptor(TAPIR_HIST_LOG, true);
    desc.variance = 1;
    Scalar s(desc);
    tapir_stat_sum sum = s.read();
    EXPECT_EQ(sum.count, 0);
    EXPECT_EQ(sum.sum, 0);
    auto raises = [&](const char *text) {
        EXPECT_EQ(c_->failed, TAPIR_FAIL_ERROR);
        EXPECT_STREQ(c_->message, text);
        EXPECT_EQ(c_->site, &kSite);
        c_->failed = 0;
    };
    EXPECT_EQ(tapir_stat_min(c_, &sum, &kSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_stat_max(c_, &sum, &kSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_stat_avg(c_, &sum, &kSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_stat_variance(c_, &sum, &kSite), 0);
    raises("empty aggregate");
    EXPECT_EQ(tapir_hist_get(c_, &sum, 64, &kSite), 0);
    raises("empty aggregate");
    tapir_hist_print(c_, &sum, &kSite);
    raises("empty aggregate");
    EXPECT_EQ(finish(), "");
}

TEST_F(Stat, ClearForgetsEverythingOnEveryCpu) {
    tapir_stat_desc desc = stat_descriptor(TAPIR_HIST_LOG, true);
    desc.variance = 1;
    Scalar s(desc);
    for (u32 cpu = 0; cpu < 4; cpu++)
        s.add(1000 * (cpu + 1), cpu);
    s.clear();
    tapir_stat_sum sum = s.read();
    EXPECT_EQ(sum.count, 0);
    EXPECT_EQ(sum.sum, 0);
    for (u64 bucket : sum.buckets)
        EXPECT_EQ(bucket, 0u);
    s.add(7, 2);
    s.add(9, 0);
    sum = s.read();
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

TEST_F(Stat, DocumentedVariances) {
    for (auto [shift, want] : {std::pair<u8, s64>{0, 12}, {1, 2}}) {
        tapir_stat_desc desc = stat_descriptor();
        desc.variance = 1;
        desc.variance_shift = shift;
        Scalar s(desc);
        for (s64 i = 1; i <= 5; i++)
            s.add(i);
        tapir_stat_sum sum = s.read();
        EXPECT_EQ(tapir_stat_variance(c_, &sum, &kSite), want) << int(shift);
    }
}

TEST_F(Stat, VarianceApproachesTheTrueOneWithShift) {
    std::mt19937 random(9);
    for (u32 cpus : {1u, 4u}) {
        tapir_stat_desc desc = stat_descriptor();
        desc.variance = 1;
        desc.variance_shift = 8;
        Scalar s(desc);
        double sum = 0, squares = 0;
        const int n = 4000;
        for (int i = 0; i < n; i++) {
            s64 value = static_cast<s64>(random() % 2000) - 1000;
            s.add(value, static_cast<u32>(i) % cpus);
            sum += static_cast<double>(value);
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        double want = (squares - sum * sum / n) / (n - 1);
        EXPECT_NEAR(static_cast<double>(s.read().variance), want, want / 100) << cpus;
    }
}

TEST_F(Stat, VarianceOfOneSampleAndOfHugeOnesDoesNotTrap) {
    tapir_stat_desc desc = stat_descriptor(TAPIR_HIST_LOG, true);
    desc.variance = 1;
    for (u8 shift : {u8{0}, u8{31}, u8{32}, u8{62}}) {
        desc.variance_shift = shift;
        Scalar s(desc);
        s.add(5);
        EXPECT_EQ(s.read().variance, 0);
        for (s64 n : {s64{INT64_MIN}, s64{INT64_MAX}, s64{-1}, s64{INT64_MIN}})
            s.add(n);
        EXPECT_EQ(s.read().count, 5);
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
    tapir_stat_variance(c_, &sum, &kSite);
    EXPECT_EQ(take(TAPIR_REC_WARNING), "@variance does not contain 1 samples taken in NMI context");
}

TEST_F(Stat, SlotsOfCpusAreOnDifferentLines) {
    for (u8 hist : {TAPIR_HIST_NONE, TAPIR_HIST_LOG}) {
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
