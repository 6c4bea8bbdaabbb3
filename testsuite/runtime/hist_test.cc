// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "fixture.h"

extern "C" {
#include "items/histogram_item.h"
}

namespace tapir::test {
namespace {

const tapir_site kHistSite = {"operator '@hist_log' at t.stp:1:1"};

const tapir_hist_desc kLog = kLogHist;

TEST(Hist, LogBuckets) {
    EXPECT_EQ(kLog.buckets, 128u);
    EXPECT_EQ(tapir_hist_index(&kLog, 0), 64u);
    EXPECT_EQ(tapir_hist_index(&kLog, 1), 65u);
    EXPECT_EQ(tapir_hist_index(&kLog, -1), 63u);
    EXPECT_EQ(tapir_hist_index(&kLog, INT64_MAX), 127u);
    EXPECT_EQ(tapir_hist_index(&kLog, INT64_MIN), 0u);
    EXPECT_EQ(tapir_hist_index(&kLog, INT64_MIN + 1), 1u);
    for (u32 k = 1; k < 63; k++) {
        s64 low = s64{1} << (k - 1);
        EXPECT_EQ(tapir_hist_index(&kLog, low), 64 + k);
        EXPECT_EQ(tapir_hist_index(&kLog, 2 * low - 1), 64 + k);
        EXPECT_EQ(tapir_hist_index(&kLog, -low), 64 - k);
        EXPECT_EQ(tapir_hist_index(&kLog, -(2 * low - 1)), 64 - k);
        EXPECT_EQ(tapir_hist_low(&kLog, 64 + k), low);
        EXPECT_EQ(tapir_hist_low(&kLog, 64 - k), -low);
    }
    EXPECT_EQ(tapir_hist_low(&kLog, 64), 0);
    EXPECT_EQ(tapir_hist_low(&kLog, 0), INT64_MIN);
    EXPECT_EQ(tapir_hist_low(&kLog, 127), s64{1} << 62);
}

TEST(Hist, LinearBuckets) {
    tapir_hist_desc d = linear(0, 10, 2);
    EXPECT_EQ(d.buckets, 8u);
    EXPECT_EQ(tapir_hist_index(&d, -1), 0u);
    EXPECT_EQ(tapir_hist_index(&d, INT64_MIN), 0u);
    EXPECT_EQ(tapir_hist_index(&d, 0), 1u);
    EXPECT_EQ(tapir_hist_index(&d, 1), 1u);
    EXPECT_EQ(tapir_hist_index(&d, 9), 5u);
    EXPECT_EQ(tapir_hist_index(&d, 10), 6u);
    EXPECT_EQ(tapir_hist_index(&d, 11), 6u);
    EXPECT_EQ(tapir_hist_index(&d, 12), 7u);
    EXPECT_EQ(tapir_hist_index(&d, INT64_MAX), 7u);
    EXPECT_EQ(tapir_hist_low(&d, 1), 0);
    EXPECT_EQ(tapir_hist_low(&d, 6), 10);
    tapir_hist_desc whole = linear(INT64_MIN, INT64_MAX, INT64_MAX / 32);
    EXPECT_EQ(tapir_hist_index(&whole, INT64_MIN), 1u);
    EXPECT_EQ(tapir_hist_index(&whole, INT64_MAX), whole.buckets - 2);
}

// The buckets that DTrace's documentation of llquantize() shows for (10, 0, 6, 20), and each value in the one it is in.
TEST(Hist, LogLinearBuckets) {
    const tapir_hist_desc d = loglinear(0, 6, 20);
    std::vector<s64> edges;
    for (s64 n = 1; n < 10; n++)
        edges.push_back(n);
    for (s64 power = 10; power <= 1000000; power *= 10)
        for (s64 step = 2; step < 20; step++)
            edges.push_back(step * power / 2);
    ASSERT_EQ(d.buckets, edges.size() + 2);
    for (u32 i = 0; i < edges.size(); i++) {
        EXPECT_EQ(tapir_hist_low(&d, i + 1), edges[i]);
        EXPECT_EQ(tapir_hist_index(&d, edges[i]), i + 1);
        EXPECT_EQ(tapir_hist_index(&d, edges[i] - 1), i);
    }
    EXPECT_EQ(tapir_hist_low(&d, d.buckets - 1), 10000000);
    for (s64 below : {s64{0}, s64{-1}, s64{INT64_MIN}})
        EXPECT_EQ(tapir_hist_index(&d, below), 0u);
    for (s64 beyond : {s64{10000000}, s64{INT64_MAX}})
        EXPECT_EQ(tapir_hist_index(&d, beyond), d.buckets - 1);
}

TEST(Hist, LogLinearBucketsAtTheLimits) {
    const tapir_hist_desc one = loglinear(2, 2, 10), all = loglinear(0, 18, 50);
    EXPECT_EQ(one.buckets, 11u);
    EXPECT_EQ(tapir_hist_index(&one, 99), 0u);
    EXPECT_EQ(tapir_hist_index(&one, 199), 1u);
    EXPECT_EQ(tapir_hist_index(&one, 999), 9u);
    EXPECT_EQ(tapir_hist_index(&one, 1000), 10u);
    EXPECT_EQ(tapir_hist_index(&all, INT64_MAX), all.buckets - 1 - 4);  // 9.2 * 10^18, in steps of 2 * 10^17
    EXPECT_EQ(tapir_hist_low(&all, all.buckets - 5), 9200000000000000000);
}

TEST(Hist, ParametersAreChecked) {
    char reason[128];
    const auto checked = [&](const tapir_hist_desc &d) {
        const tapir_stat_desc stat = stat_descriptor(&d);
        return tapir_stat_check(&stat, reason, sizeof(reason));
    };
    const tapir_stat_desc none = stat_descriptor();
    EXPECT_TRUE(tapir_stat_check(&none, reason, sizeof(reason)));
    for (const auto &d : {kLog, linear(0, 0, 1), linear(0, 125, 1), linear(-5, 5, 10), loglinear(0, 18, 50)})
        EXPECT_TRUE(checked(d));
    EXPECT_FALSE(checked(linear(0, 126, 1)));
    EXPECT_STREQ(reason, "histogram: Number of buckets must be between 3 and 128, (high - low) / width + 3 is larger");
    EXPECT_FALSE(checked(linear(0, 10, 0)));
    EXPECT_STREQ(reason, "histogram: Width of buckets must be positive, not 0");
    EXPECT_FALSE(checked(linear(10, 0, 1)));
    EXPECT_STREQ(reason, "histogram: High limit 0 is below low limit 10");
    EXPECT_FALSE(checked(linear(INT64_MIN, INT64_MAX, 1)));
    // Each of several.
    const tapir_hist_desc two[] = {kLog, linear(0, 126, 1)};
    tapir_stat_desc several = stat_descriptor(two);
    several.nhists = 2;
    EXPECT_FALSE(tapir_stat_check(&several, reason, sizeof(reason)));
}

class HistPrint : public Runtime {
  protected:
    std::string print(const tapir_hist_desc &hist, const std::vector<std::pair<s64, u64>> &values) {
        const tapir_stat_desc desc = stat_descriptor(&hist);
        std::vector<u64> buckets(hist.buckets);
        tapir_stat_sum s;
        tapir_sum_init(&s, &desc);
        tapir_sum_want(&s, &hist, buckets.data());
        for (auto &[value, count] : values) {
            s.buckets[tapir_hist_index(&hist, value)] += count;
            s.count += static_cast<s64>(count);
        }
        const tapir_hist_title title = {"", "s", 0, 0, 0};
        tapir_hist_print(c_, &s, &title, nullptr, &kHistSite);
        const std::string printed = finish();
        if (!printed.empty()) return printed;
        const std::string item = take(TAPIR_REC_PRINT);
        size_t length = 0;
        const tapir_screen narrow = {20, true, true};
        char *text = tapir_histogram_text(item.data(), static_cast<u32>(item.size()), &narrow, &length);
        if (!text) return "damaged";
        std::string copy(text, length);
        free(text);
        // sprint() makes the same.
        char made[16384] = "";
        const u32 cap = tapir_test_module.string_cap;
        tapir_test_module.string_cap = sizeof made;
        tapir_hist_sprint(c_, made, &s, false, &kHistSite);
        tapir_test_module.string_cap = cap;
        EXPECT_EQ(copy, made);
        return copy;
    }
    static std::string row(const std::string &label, u32 marks, const std::string &count, u32 width = 52) {
        std::string s = label + " |" + std::string(marks, '@');
        return s + std::string(width - marks - count.size(), ' ') + count + "\n";
    }
    const std::string header_ = "value |" + std::string(50, '-') + " count\n";
};

TEST_F(HistPrint, LogShowsTwoRowsAroundTheData) {
    EXPECT_EQ(print(kLog, {{8, 1}, {16, 3}}), header_ + row("    2", 0, "0") + row("    4", 0, "0") +
                                                  row("    8", 1, "1") + row("   16", 3, "3") + row("   32", 0, "0") +
                                                  row("   64", 0, "0") + "\n");
}

TEST_F(HistPrint, LogStopsAtZeroWithoutNegatives) {
    EXPECT_EQ(print(kLog, {{1, 2}}), header_ + row("    0", 0, "0") + row("    1", 2, "2") + row("    2", 0, "0") +
                                         row("    4", 0, "0") + "\n");
    EXPECT_EQ(print(kLog, {{0, 1}}),
              header_ + row("    0", 1, "1") + row("    1", 0, "0") + row("    2", 0, "0") + "\n");
    EXPECT_EQ(print(kLog, {{-1, 1}}), header_ + row("   -4", 0, "0") + row("   -2", 0, "0") + row("   -1", 1, "1") +
                                          row("    0", 0, "0") + row("    1", 0, "0") + "\n");
}

TEST_F(HistPrint, LongGapsAreElided) {
    EXPECT_EQ(print(kLog, {{1, 1}, {64, 1}}), header_ + row("    0", 0, "0") + row("    1", 1, "1") +
                                                  row("    2", 0, "0") + row("    4", 0, "0") + "      ~\n" +
                                                  row("   16", 0, "0") + row("   32", 0, "0") + row("   64", 1, "1") +
                                                  row("  128", 0, "0") + row("  256", 0, "0") + "\n");
    EXPECT_EQ(print(kLog, {{1, 1}, {32, 1}}), header_ + row("    0", 0, "0") + row("    1", 1, "1") +
                                                  row("    2", 0, "0") + row("    4", 0, "0") + row("    8", 0, "0") +
                                                  row("   16", 0, "0") + row("   32", 1, "1") + row("   64", 0, "0") +
                                                  row("  128", 0, "0") + "\n");
}

TEST_F(HistPrint, ElisionIsConfigurable) {
    tapir_test_module.hist_elision = 0;
    EXPECT_EQ(print(kLog, {{1, 1}, {64, 1}}),
              header_ + "      ~\n" + row("    1", 1, "1") + "      ~\n" + row("   64", 1, "1") + "\n");
    tapir_test_module.hist_elision = 1;
    EXPECT_EQ(print(kLog, {{8, 1}, {16, 0}, {512, 1}}),
              header_ + "      ~\n" + row("    4", 0, "0") + row("    8", 1, "1") + row("   16", 0, "0") + "      ~\n" +
                  row("  256", 0, "0") + row("  512", 1, "1") + row(" 1024", 0, "0") + "\n");
    tapir_test_module.hist_elision = -1;
    std::string whole = print(kLog, {{1, 1}, {1024, 1}});
    EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1 + 14 + 1);
    EXPECT_EQ(whole.find('~'), std::string::npos);
    tapir_test_module.hist_elision = 2;
}

TEST_F(HistPrint, BarsAreScaledUp) {
    EXPECT_EQ(print(kLog, {{0, 50}}),
              header_ + row("    0", 50, "50", 53) + row("    1", 0, "0", 53) + row("    2", 0, "0", 53) + "\n");
    EXPECT_EQ(print(kLog, {{0, 51}, {1, 1}, {2, 2}}), header_ + row("    0", 25, "51", 53) + row("    1", 0, "1", 53) +
                                                          row("    2", 1, "2", 53) + row("    4", 0, "0", 53) +
                                                          row("    8", 0, "0", 53) + "\n");
    EXPECT_EQ(print(kLog, {{0, 1000000}}),
              header_ + row("    0", 50, "1000000", 58) + row("    1", 0, "0", 58) + row("    2", 0, "0", 58) + "\n");
}

TEST_F(HistPrint, WidthIsConfigurableAndBounded) {
    tapir_test_module.hist_width = 10;
    std::string text = print(kLog, {{0, 20}});
    EXPECT_EQ(text.substr(0, text.find('\n')), "value |---------- count");
    EXPECT_NE(text.find("    0 |@@@@@@@@@@ 20\n"), std::string::npos);
    tapir_test_module.hist_width = ~0u;
    text = print(kLog, {{0, 1}});
    EXPECT_EQ(text.find('\n'), 7u + 1000 + 6);
    tapir_test_module.hist_width = 50;
}

TEST_F(HistPrint, WideValuesWidenTheirColumn) {
    std::string text = print(kLog, {{1 << 20, 1}});
    EXPECT_EQ(text.substr(0, text.find('|') + 1), "  value |");
    EXPECT_NE(text.find("\n1048576 |@ "), std::string::npos);
}

TEST_F(HistPrint, LinearNamesUnderflowAndOverflow) {
    EXPECT_EQ(print(linear(0, 4, 2), {{-5, 1}, {2, 2}, {100, 3}}),
              header_ + row("   <0", 1, "1") + row("    0", 0, "0") + row("    2", 2, "2") + row("    4", 0, "0") +
                  row("   >4", 3, "3") + "\n");
    EXPECT_EQ(print(linear(0, 100, 10), {{50, 1}}), header_ + row("   30", 0, "0") + row("   40", 0, "0") +
                                                        row("   50", 1, "1") + row("   60", 0, "0") +
                                                        row("   70", 0, "0") + "\n");
    EXPECT_EQ(print(linear(100000, 200000, 50000), {{1, 1}}), "  value |" + std::string(50, '-') + " count\n" +
                                                                  row("<100000", 1, "1") + row(" 100000", 0, "0") +
                                                                  row(" 150000", 0, "0") + "\n");
}

TEST_F(HistPrint, LogLinear) {
    EXPECT_EQ(print(loglinear(1, 2, 10), {{5, 1}, {10, 1}, {19, 1}, {400, 3}, {1000, 2}}),
              " " + header_ + row("   <10", 1, "1") + row("    10", 2, "2") + row("    20", 0, "0") +
                  row("    30", 0, "0") + "       ~\n" + row("   200", 0, "0") + row("   300", 0, "0") +
                  row("   400", 3, "3") + row("   500", 0, "0") + row("   600", 0, "0") + "       ~\n" +
                  row("   800", 0, "0") + row("   900", 0, "0") + row(">=1000", 2, "2") + "\n");
    EXPECT_EQ(print(loglinear(1, 2, 10), {{10, 1}}),
              header_ + row("   10", 1, "1") + row("   20", 0, "0") + row("   30", 0, "0") + "\n");
}

class HistUnits : public HistPrint {
  protected:
    void SetUp() override {
        HistPrint::SetUp();
        tapir_test_module.hist_units = 1;
    }
    void TearDown() override {
        tapir_test_module.hist_units = 0;
        HistPrint::TearDown();
    }
    // The labels and counts of the rows.
    std::vector<std::string> rows(const tapir_hist_desc &hist, const std::vector<std::pair<s64, u64>> &values) {
        std::istringstream lines(print(hist, values));
        std::vector<std::string> found;
        std::string line;
        std::getline(lines, title_);
        while (std::getline(lines, line) && !line.empty()) {
            const size_t bar = line.find(" |");
            const std::string label = line.substr(line.find_first_not_of(' '), bar - line.find_first_not_of(' '));
            found.push_back(bar == std::string::npos ? "~" : label + ": " + line.substr(line.find_last_of(' ') + 1));
        }
        return found;
    }
    std::string title_;
};

using Rows = std::vector<std::string>;

TEST_F(HistUnits, LogRowsSayTheirRange) {
    EXPECT_EQ(rows(kLog, {{0, 1}, {3, 9999}}), (Rows{"0: 1", "1: 0", "2 .. 4: 9999", "4 .. 8: 0", "8 .. 16: 0"}));
    EXPECT_EQ(title_, "value (K=1024) |" + std::string(50, '-') + " count (K=1000)");
    EXPECT_EQ(rows(kLog, {{1024, 10000}}),
              (Rows{"256 .. 512: 0", "512 .. 1K: 0", "1K .. 2K: 10.0K", "2K .. 4K: 0", "4K .. 8K: 0"}));
    EXPECT_EQ(rows(kLog, {{1 << 20, 1234567}}),
              (Rows{"256K .. 512K: 0", "512K .. 1M: 0", "1M .. 2M: 1.23M", "2M .. 4M: 0", "4M .. 8M: 0"}));
    EXPECT_EQ(rows(kLog, {{-1, 1}, {-3, 2}}),
              (Rows{"-16 .. -8: 0", "-8 .. -4: 0", "-4 .. -2: 2", "-1: 1", "0: 0", "1: 0"}));
    EXPECT_EQ(rows(kLog, {{INT64_MIN, 1}, {INT64_MIN + 1, 1}}),
              (Rows{"-8E: 1", "-8E .. -4E: 1", "-4E .. -2E: 0", "-2E .. -1E: 0"}));
    EXPECT_EQ(rows(kLog, {{INT64_MAX, 999999}}), (Rows{"1E .. 2E: 0", "2E .. 4E: 0", "4E .. 8E: 999K"}));
}

TEST_F(HistUnits, OtherRowsSayTheirRange) {
    EXPECT_EQ(rows(linear(0, 40, 10), {{-1, 1}, {15, 2}, {60, 3}}),
              (Rows{"< 0: 1", "0 .. 10: 0", "10 .. 20: 2", "20 .. 30: 0", "30 .. 40: 0", "40 .. 50: 0", ">= 50: 3"}));
    EXPECT_EQ(title_, "value (K=1000) |" + std::string(50, '-') + " count (K=1000)");
    EXPECT_EQ(rows(linear(-2, 2, 1), {{-2, 1}}), (Rows{"-2: 1", "-1: 0", "0: 0"}));
    EXPECT_EQ(rows(linear(-2000, 2000, 1500), {{-1500, 1}, {0, 1}}),
              (Rows{"-2K .. -500: 1", "-500 .. 1K: 1", "1K .. 2500: 0"}));
    EXPECT_EQ(
        rows(loglinear(2, 3, 20), {{5, 1}, {100, 99999}, {950, 1}, {10000, 1}}),
        (Rows{"< 100: 1", "100 .. 150: 99.9K", "150 .. 200: 0", "200 .. 250: 0", "~", "850 .. 900: 0", "900 .. 950: 0",
              "950 .. 1K: 1", "1K .. 1500: 0", "1500 .. 2K: 0", "~", "9K .. 9500: 0", "9500 .. 10K: 0", ">= 10K: 1"}));
    EXPECT_EQ(rows(loglinear(18, 18, 10), {{INT64_MAX, 1}}), (Rows{"7E .. 8E: 0", "8E .. 9E: 0", "9E .. 10E: 1"}));
}

// Its item is larger than a record, the text goes on in the next one.
TEST_F(HistPrint, LargeOnesAreText) {
    const tapir_hist_desc hist = loglinear(0, 11, 100);
    std::vector<std::pair<s64, u64>> values;
    for (u32 i = 1; i < hist.buckets; i++)
        values.emplace_back(tapir_hist_low(&hist, i), 1ull << 52);
    const std::string text = print(hist, values);
    EXPECT_EQ(static_cast<size_t>(std::ranges::count(text, '\n')), hist.buckets + 1);
    EXPECT_EQ(0u, text.find("          value |" + std::string(50, '-') + " count\n"));
}

TEST_F(HistPrint, BucketAccess) {
    const tapir_hist_desc d = linear(0, 4, 2);
    const tapir_stat_desc desc = stat_descriptor(&d);
    u64 buckets[5];
    tapir_stat_sum s;
    tapir_sum_init(&s, &desc);
    tapir_sum_want(&s, &d, buckets);
    s.count = 3;
    s.buckets[0] = 1;
    s.buckets[4] = 2;
    EXPECT_EQ(tapir_hist_get(c_, &s, 0, &kHistSite), 1);
    EXPECT_EQ(tapir_hist_get(c_, &s, 4, &kHistSite), 2);
    for (s64 index : {s64{-1}, s64{5}, s64{INT64_MAX}, s64{INT64_MIN}}) {
        EXPECT_EQ(tapir_hist_get(c_, &s, index, &kHistSite), 0);
        EXPECT_STREQ(c_->message, "histogram index out of range");
        c_->failed = 0;
    }
}

}  // namespace
}  // namespace tapir::test
