// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures of histograms: whole texts whose numbers are known by arithmetic, and what holds for any histogram.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <sstream>

#include "fixture.h"

extern "C" {
#include "items/histogram_table.h"
}

namespace tapir::test {
namespace {

const tapir_site kPictureSite = {"operator '@hist_log' at t.stp:1:1"};
const tapir_screen kWide = {100, false, true};

using Samples = std::map<s64, u64>;

class HistogramPicture : public Runtime {
  protected:
    // The item that a handler prints of so many samples of each value.
    std::string item(const tapir_hist_desc &hist, const std::map<s64, u64> &samples, const char *unit,
                     std::vector<tapir_val> keys = {}, u32 strings = 0) {
        std::vector<u64> buckets(hist.buckets);
        tapir_stat_sum s = {};
        s.hist = &hist;
        s.buckets = buckets.data();
        for (auto [value, count] : samples) {
            buckets[tapir_hist_index(&hist, value)] += count;
            s.count = static_cast<s64>(static_cast<u64>(s.count) + count);
            s.sum = static_cast<s64>(static_cast<u64>(s.sum) + static_cast<u64>(value) * count);
        }
        if (!samples.empty()) s.min = samples.begin()->first, s.max = samples.rbegin()->first;
        const tapir_hist_title title = {unit, "lat", static_cast<u32>(keys.size()), strings, is_row_};
        if (!c_) enter();
        tapir_hist_show(c_, &s, &title, keys.data(), &kPictureSite);
        tapir_output_flush(c_);
        std::string found;
        for (const Record &record : records_)
            if (record.type == TAPIR_REC_PRINT) found += record.text;
        records_.clear();
        return found;
    }

    // The rows of two tables that handlers print at once, and what the end of one of them makes.
    std::string row(const Samples &samples, tapir_val name, s64 number, u64 table) {
        is_row_ = true;
        if (!c_) enter();
        c_->hist_table = table;
        const std::string made = item(kLogHist, samples, "ns", {name, val(number)}, 1);
        is_row_ = false;
        return made;
    }
    static std::string table(tapir_histogram_rows &rows, u64 number, const tapir_screen &screen) {
        size_t length = 0;
        char *text = tapir_histogram_table_text(&rows, number, &screen, &length);
        if (!text) return "damaged";
        std::string copy(text, length);
        free(text);
        return copy;
    }

    static std::string picture(const std::string &item, const tapir_screen &screen = kWide) {
        EXPECT_EQ(item.size(), tapir_item_bytes(nullptr, 0, item.data(), static_cast<u32>(item.size())));
        size_t length = 0;
        char *text = tapir_histogram_text(item.data(), static_cast<u32>(item.size()), &screen, &length);
        if (!text) return "damaged";
        std::string copy(text, length);
        free(text);
        return copy;
    }

    u8 is_row_ = 0;
};

std::string repeated(const char *mark, size_t n) {
    std::string all;
    while (n-- > 0)
        all += mark;
    return all;
}

size_t columns(const std::string &line) {
    return static_cast<size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xc0) != 0x80; }));
}

// 54 columns: 7 of "8.19 µs", 2 of the axis, 4 + 2 around counts of 2, 7 of shares, and so 32 of bars: a sample is half
// of one.
TEST_F(HistogramPicture, ScalesTimes) {
    const std::string made = item(kLogHist, {{5000, 1}, {9000, 64}, {20000, 3}, {300000, 32}}, "ns");
    const auto spaces = [](size_t n) { return std::string(n, ' '); };
    EXPECT_EQ("lat" + spaces(27) + "100 samples, sum 10.2 ms\n" +        //
                  "4.10 µs │▌" + spaces(31) + "   1    1.0 %\n" +        //
                  "8.19 µs │" + repeated("█", 32) + "  64   64.0 %\n" +  //
                  "16.4 µs │█▌" + spaces(30) + "   3    3.0 %\n" +       //
                  "        │ ⋯\n" +                                      //
                  " 262 µs │" + repeated("█", 16) + spaces(16) + "  32   32.0 %\n" +
                  "median below 16.4 µs    90 % up to 300 µs\n"
                  "99 % up to 300 µs    max 300 µs\n\n",
              picture(made, {54, false, true}));
    EXPECT_EQ("lat" + spaces(27) + "100 samples, sum 10.2 ms\n" +        //
                  "4.10 us |@" + spaces(31) + "   1    1.0 %\n" +        //
                  "8.19 us |" + repeated("@", 32) + "  64   64.0 %\n" +  //
                  "16.4 us |@@" + spaces(30) + "   3    3.0 %\n" +       //
                  "        | ...\n" +                                    //
                  " 262 us |" + repeated("@", 16) + spaces(16) + "  32   32.0 %\n" +
                  "median below 16.4 us    90 % up to 300 us\n"
                  "99 % up to 300 us    max 300 us\n\n",
              picture(made, {54, false, false}));
    // Shares go first, then names are cut; numbers never are.
    EXPECT_EQ(
        "lat\n100 samples, sum\n10.2 ms\n"
        "4.10 us |@         1\n8.19 us |@@@@@@@  64\n16.4 us |@         3\n        | ...\n"
        " 262 us |@@@@     32\nmedian below 16.4 us\n90 % up to 300 us\n99 % up to 300 us\nmax 300 us\n\n",
        picture(made, {20, false, false}));
}

TEST_F(HistogramPicture, SaysWhatTheSamplesAreOf) {
    const std::vector<tapir_val> keys = {val("sda"), val(3)};
    const std::string timed = picture(item(kLogHist, {{4, 1}}, "ns of a call", keys, 1), {54, false, false});
    EXPECT_EQ("sda, 3: a call", timed.substr(0, timed.find("  "))) << timed;
    EXPECT_NE(std::string::npos, timed.find("\n4 ns |")) << timed;
    const std::string counted = picture(item(kLogHist, {{4, 1}}, " of a queue's length", keys, 1), {54, false, false});
    EXPECT_EQ("sda, 3: a queue's length", counted.substr(0, counted.find("  "))) << counted;
    EXPECT_NE(std::string::npos, counted.find("\n4 |")) << counted;
}

// One empty row is shown, two are a gap; what is below and beyond has a sign; zero has no unit.
TEST_F(HistogramPicture, ShowsLinearOnes) {
    const tapir_val keys[] = {val("web \"1\""), val(-3)};
    const std::string made =
        item(linear(0, 50, 10), {{-1, 1}, {0, 1}, {9, 1}, {20, 4}, {99, 1}}, "KiB", {keys[0], keys[1]}, 1);
    // -1 + 9 + 4 * 20 + 99 = 187; bars of 24 columns.
    EXPECT_EQ(
        "lat[\"web \"1\"\",-3]        8 samples, sum 187 KiB\n"
        "  < 0 KiB |@@@@@@                    1   12.5 %\n"
        "    0 KiB |@@@@@@@@@@@@              2   25.0 %\n"
        "   10 KiB |                          0    0.0 %\n"
        "   20 KiB |@@@@@@@@@@@@@@@@@@@@@@@@  4   50.0 %\n"
        "          | ...\n"
        ">= 60 KiB |@@@@@@                    1   12.5 %\n"
        "median below 30 KiB    90 % up to 99 KiB\n"
        "99 % up to 99 KiB    max 99 KiB\n\n",
        picture(made, {47, false, false}));
}

TEST_F(HistogramPicture, KnowsUnits) {
    const tapir_screen utf8 = {100, false, true}, ascii = {100, false, false};
    const auto measured = [](const char *name, tapir_wide value, const tapir_screen &screen) {
        char text[TAPIR_MEASURE_MAX];
        const tapir_unit unit = tapir_unit_of(name);
        const u32 length = tapir_measure(text, &screen, &unit, value);
        EXPECT_EQ(length, strlen(text));
        return std::string(text);
    };
    EXPECT_EQ("51.2 %", measured("0.1 %", 512, utf8));
    EXPECT_EQ("0.0 %", measured("0.1 %", 0, utf8));
    EXPECT_EQ("-1,234.05", measured("0.01", -123405, utf8));
    EXPECT_EQ("0.007 pages", measured("0.001 pages", 7, utf8));
    EXPECT_EQ("512 0.2 %", measured("0.2 %", 512, utf8));
    EXPECT_EQ("512 0.0001 %", measured("0.0001 %", 512, utf8));
    EXPECT_EQ("0", measured("ns", 0, utf8));
    EXPECT_EQ("1 ns", measured("ns", 1, utf8));
    EXPECT_EQ("999 ns", measured("ns", 999, utf8));
    EXPECT_EQ("1 µs", measured("ns", 1000, utf8));
    EXPECT_EQ("1.00 µs", measured("ns", 1001, utf8));
    EXPECT_EQ("9.99 µs", measured("ns", 9994, utf8));
    EXPECT_EQ("10.0 µs", measured("ns", 9995, utf8));
    EXPECT_EQ("99.9 µs", measured("ns", 99949, utf8));
    EXPECT_EQ("100 µs", measured("ns", 99950, utf8));
    EXPECT_EQ("1.00 ms", measured("ns", 999500, utf8));
    EXPECT_EQ("-1.5 ms", measured("us", -1500, utf8));
    EXPECT_EQ("1.5 us", measured("ns", 1500, ascii));
    EXPECT_EQ("1 ms", measured("µs", 1000, ascii));
    EXPECT_EQ("61 s", measured("ms", 61000, utf8));
    EXPECT_EQ("86400 s", measured("s", 86400, utf8));
    EXPECT_EQ("9.22e9 s", measured("ns", INT64_MAX, utf8));
    EXPECT_EQ("-9.22e18 s", measured("s", INT64_MIN, utf8));
    EXPECT_EQ("1023 B", measured("bytes", 1023, utf8));
    EXPECT_EQ("1 KiB", measured("B", 1024, utf8));
    EXPECT_EQ("1.5 MiB", measured("bytes", 1536 << 10, utf8));
    EXPECT_EQ("8 EiB", measured("B", tapir_wide{1} << 63, utf8));
    EXPECT_EQ("999,999 pages", measured("pages", 999999, utf8));
    EXPECT_EQ("1.05M pages", measured("pages", 1048576, utf8));
    EXPECT_EQ("-9.22E", measured("", INT64_MIN, utf8));
    EXPECT_EQ("0 pages", measured("pages", 0, utf8));
}

// An axis from 1 µs, where the first of any begins, to 32.8 µs; three columns for each of the six buckets. The heights
// are eighths of each row's own highest: 8, 4 and 1 of 8, and 2 of 2. Rows with most samples come first.
TEST_F(HistogramPicture, OfAnArrayIsATable) {
    tapir_histogram_rows rows = {};
    const auto keep = [&](const std::string &made) {
        bool is_end = true;
        EXPECT_NE(0u, tapir_histogram_table(made.data(), &is_end));
        EXPECT_FALSE(is_end);
        EXPECT_TRUE(tapir_histogram_keep(&rows, made.data(), static_cast<u32>(made.size())));
    };
    keep(row({{33000, 2}}, val("find"), 5, 7));
    keep(row({{40, 1}}, val("other"), 1, 6));
    keep(row({{1024, 8000}, {2500, 4000}, {5000, 1000}, {9000, 1}}, val("redis-server"), 1204, 7));
    EXPECT_EQ(row({}, val("none"), 3, 7), "");
    EXPECT_EQ(
        "lat                 COUNT     MEDIAN       99 %    MAX  1.02 µs ──► 32.8 µs\n"
        "redis-server  1204  13.0k  < 2.05 µs  < 8.19 µs   9 µs  █▄▁▁\n"
        "find             5      2    ≤ 33 µs    ≤ 33 µs  33 µs       █\n\n",
        table(rows, 7, {90, false, true}));
    keep(row({{33000, 2}, {20000, 1}}, val("find"), 5, 8));
    EXPECT_EQ(
        "lat      COUNT   MEDIAN     99 %    MAX  16.4 µs ──► 32.8 µs\n"
        "find  5      3  ≤ 33 µs  ≤ 33 µs  33 µs  ▄▄▄███\n\n",
        table(rows, 8, {100, false, true}));
    EXPECT_EQ(6u, tapir_histogram_unended(&rows));
    EXPECT_EQ(
        "lat       COUNT    MEDIAN      99 %    MAX  32 ns\n"
        "other  1      1  <= 40 ns  <= 40 ns  40 ns  @\n\n",
        table(rows, 6, {60, false, false}));
    EXPECT_EQ(0u, tapir_histogram_unended(&rows));
    EXPECT_EQ("", table(rows, 7, {60, false, false}));
    tapir_histogram_forget(&rows);
}

TEST_F(HistogramPicture, OfNothingIsAnError) {
    EXPECT_EQ("", item(kLogHist, {}, "ns"));
    EXPECT_TRUE(c_->failed);
    finish();
    EXPECT_EQ(take(TAPIR_REC_ERROR),
              "empty aggregate near operator '@hist_log' at t.stp:1:1 in probe "
              "kernel.function(\"vfs_read\")");
}

TEST_F(HistogramPicture, CutsWhatIsTooLong) {
    const std::string key(4000, 'k');
    const std::string made = item(kLogHist, {{1, 1}}, "", {val(key.c_str())}, 1);
    EXPECT_EQ("lat[\"" + std::string(6, 'k') + "~" + std::string(9, 'k') + "\"]  1 sample, sum 1\n",
              picture(made, {40, false, false}).substr(0, 41));
    EXPECT_LT(made.size(), 400u);
}

TEST_F(HistogramPicture, CountsMayBeLarge) {
    const std::string text =
        picture(item(kLogHist, {{1, 1ull << 63}, {2, 1ull << 63}, {9, 1}}, "ns"), {60, false, false});
    // 2^63 + 2 * 2^63 + 9 wraps around; half of the samples and one are above 1.
    EXPECT_EQ("lat" + std::string(29, ' ') +
                  "18.4E samples, sum -9.22e9 s\n"
                  "1 ns |@@@@@@@@@@@@@@@@@@  9,223,372,036,854,775,808   50.0 %\n"
                  "2 ns |@@@@@@@@@@@@@@@@@@  9,223,372,036,854,775,808   50.0 %\n"
                  "4 ns |                                            0    0.0 %\n"
                  "8 ns |@                                           1  < 0.1 %\n"
                  "median below 4 ns    90 % below 4 ns    99 % below 4 ns\n"
                  "max 9 ns\n\n",
              text);
}

// 1024 buckets with 2^30 samples each fit a record.
TEST_F(HistogramPicture, TheLargestFits) {
    const tapir_hist_desc hist = loglinear(1, 11, 100);
    ASSERT_GT(hist.buckets, 900u);
    std::map<s64, u64> samples;
    for (u32 i = 1; i < hist.buckets; i++)
        samples[tapir_hist_low(&hist, i)] = 1ull << 30;
    const std::string text = picture(item(hist, samples, "ns"));
    EXPECT_EQ(static_cast<size_t>(std::ranges::count(text, '\n')), hist.buckets - 1 + 3);
}

TEST_F(HistogramPicture, DamageIsFound) {
    const std::string made = item(loglinear(0, 3, 20), {{1, 3}, {77, 1ull << 40}}, "ns", {val("key"), val(7)}, 1);
    ASSERT_NE("damaged", picture(made));
    const tapir_screen screen = {80, false, true};
    size_t length = 0;
    for (u32 cut = 0; cut < made.size(); cut++) {
        const std::string part = made.substr(0, cut);
        EXPECT_EQ(nullptr, tapir_histogram_text(part.data(), cut, &screen, &length)) << cut;
        EXPECT_EQ(0u, tapir_item_bytes(nullptr, 0, part.data(), cut)) << cut;
    }
    // The last count is 0: buckets have to have some.
    std::string empty = made;
    for (size_t at = empty.size() - 6; at < empty.size(); at++)
        empty[at] &= static_cast<char>(0x80);
    EXPECT_EQ("damaged", picture(empty));
    std::mt19937 random(7);
    for (int i = 0; i < 20000; i++) {
        std::string broken = made;
        for (u32 n = 1 + random() % 3; n > 0; n--)
            broken[random() % broken.size()] = static_cast<char>(random());
        free(tapir_histogram_text(broken.data(), static_cast<u32>(broken.size()), &screen, &length));
        broken[offsetof(tapir_item_histogram, flags)] ^= TAPIR_HISTOGRAM_TEXT;
        free(tapir_histogram_text(broken.data(), static_cast<u32>(broken.size()), &screen, &length));
        tapir_histogram_rows rows = {};
        ASSERT_TRUE(tapir_histogram_keep(&rows, made.data(), static_cast<u32>(made.size())));
        ASSERT_TRUE(tapir_histogram_keep(&rows, broken.data(), static_cast<u32>(broken.size())));
        while (const u64 number = tapir_histogram_unended(&rows))
            free(tapir_histogram_table_text(&rows, number, &screen, &length));
        free(tapir_histogram_table_text(&rows, 0, &screen, &length));
        tapir_histogram_forget(&rows);
    }
}

// ---- any histogram

struct Case {
    tapir_hist_desc hist;
    Samples samples;
    std::string unit;
    tapir_screen screen;
};

Case random_case(std::mt19937_64 &random) {
    static const char *const units[] = {"ns", "us", "ms", "s", "bytes", "pages", "", "sixteen letters!"};
    static const s64 ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    Case made = {kLogHist, {}, units[random() % 8], {20 + static_cast<u32>(random() % 181), false, random() % 2 == 0}};
    if (random() % 3 == 0) made.hist = linear(-static_cast<s64>(random() % 100), static_cast<s64>(random() % 1000), 10);
    if (random() % 3 == 0) made.hist = loglinear(0, 1 + static_cast<s64>(random() % 11), 20);
    if (random() % 20 == 0) made.hist = linear(INT64_MAX - 35, INT64_MAX, 10);
    for (u64 n = 1 + random() % 60; n > 0; n--) {
        const s64 value = static_cast<s64>(random() >> (random() % 64)) * (random() % 4 ? 1 : -1);
        const u64 count = random() >> (random() % 64);
        made.samples[random() % 20 ? value : ends[random() % 7]] = count >> (random() % 10 ? 20 : 7) | 1;
    }
    return made;
}

// The sample that `percent` percent do not exceed, from the sorted samples.
s64 percentile(const Samples &samples, tapir_wide total, u32 percent) {
    tapir_wide seen = 0;
    for (auto [value, count] : samples)
        if ((seen += count) * 100 >= total * percent) return value;
    return 0;
}

std::vector<std::string> lines_of(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    return lines;
}

// Eighths of a column, or whole ones.
u32 marks_of(const std::string &bar, bool utf8) {
    u32 marks = 0;
    for (size_t i = 0; i < bar.size(); i += utf8 && bar[i] != ' ' ? 3 : 1)
        if (bar[i] != ' ') marks += utf8 ? 8 - static_cast<u32>(static_cast<u8>(bar[i + 2]) - 0x88) : 1;
    return marks;
}

struct Row {
    u64 count;
    u32 marks;
};

// Each row says the count of its bucket; shares sum up.
std::vector<Row> check_rows(const Case &made, const std::vector<std::string> &lines, const std::vector<u64> &counts) {
    const std::string axis = made.screen.utf8 ? "│" : "|", gap = made.screen.utf8 ? "⋯" : "...";
    std::vector<Row> rows;
    long shares = 0;
    size_t next = 0;
    for (const std::string &line : lines) {
        const size_t at = line.find(axis);
        if (at == std::string::npos || line.find(gap) != std::string::npos) continue;
        const std::string rest = line.substr(at + axis.size());
        const size_t digit = rest.find_first_of("0123456789");
        std::string written = rest.substr(digit, rest.find(' ', digit) - digit);
        std::erase(written, ',');
        if (written != "0")
            while (next < counts.size() && !counts[next])
                next++;
        const u64 count = written == "0" ? 0 : counts.at(next++);
        const bool whole = written.find_first_of(".kMGTPE") == std::string::npos;
        EXPECT_TRUE(!whole || written == std::to_string(count)) << line;
        rows.push_back({count, marks_of(rest.substr(0, digit), made.screen.utf8)});
        const size_t percent = rest.find(" %");
        if (percent == std::string::npos) continue;
        const std::string share = rest.substr(0, percent);
        if (share.find('<') == std::string::npos) shares += std::lround(std::stod(share.substr(share.rfind(' '))) * 10);
        EXPECT_TRUE(count || share.ends_with(" 0.0")) << line;
    }
    EXPECT_TRUE(shares == 1000 || lines[1].find('%') == std::string::npos) << shares;
    for (; next < counts.size(); next++)
        EXPECT_EQ(0u, counts[next]);
    return rows;
}

void check_bars(const std::vector<Row> &rows) {
    const Row &longest = *std::ranges::max_element(rows, {}, &Row::count);
    for (const Row &row : rows) {
        const long double exact = static_cast<long double>(row.count) * longest.marks / longest.count;
        const bool least = row.count && exact < 1;
        EXPECT_LE(std::abs(static_cast<long double>(row.marks) - (least && longest.marks ? 1.0L : exact)), 0.5L)
            << row.count << " of " << longest.count;
    }
}

// Against the sorted samples.
void check_bounds(const Case &made, const std::string &bytes) {
    tapir_histogram h;
    ASSERT_EQ(0, tapir_histogram_read(&h, bytes.data(), static_cast<u32>(bytes.size())));
    for (u32 percent : {1u, 50u, 90u, 99u, 100u}) {
        const s64 exact = percentile(made.samples, h.total, percent);
        bool below = false;
        const tapir_wide bound = tapir_histogram_bound(&h, percent, &below);
        EXPECT_TRUE(below ? exact < bound : exact <= bound) << percent;
        // It is no farther than the end of that sample's bucket.
        EXPECT_LE(bound - below, made.samples.rbegin()->first) << percent;
        EXPECT_EQ(tapir_hist_index(&made.hist, exact), tapir_hist_index(&made.hist, static_cast<s64>(bound - below)));
    }
    tapir_histogram_free(&h);
}

TEST_F(HistogramPicture, HoldsForAny) {
    std::mt19937_64 random(20261129);
    for (int n = 0; n < 1000; n++) {
        const Case made = random_case(random);
        SCOPED_TRACE(n);
        const std::string bytes = item(made.hist, made.samples, made.unit.c_str(), {val("some key"), val(n)}, 1);
        const std::string text = picture(bytes, made.screen);
        ASSERT_NE("damaged", text);
        const std::vector<std::string> lines = lines_of(text);
        for (const std::string &line : lines)
            EXPECT_LE(columns(line), made.screen.width) << text;
        std::vector<u64> counts(made.hist.buckets);
        for (auto [value, count] : made.samples)
            counts[tapir_hist_index(&made.hist, value)] += count;
        check_bars(check_rows(made, lines, counts));
        check_bounds(made, bytes);
        if (HasFailure()) FAIL() << text;
    }
}

// A pipe may end at a terminal somewhere else, as that of a guest does: the reader then says so.
TEST(Screen, IsThatOfTheReader) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    FILE *file = tmpfile();
    ASSERT_NE(file, nullptr);
    const auto read = [](int fd) {
        tapir_screen screen;
        tapir_screen_read(&screen, fd);
        return std::pair(screen.terminal, screen.width);
    };
    unsetenv("TAPIR_OUTPUT");
    unsetenv("COLUMNS");
    EXPECT_EQ(read(ends[1]), std::pair(false, 100u));
    setenv("COLUMNS", "72", 1);
    setenv("TAPIR_OUTPUT", "terminal", 1);
    EXPECT_EQ(read(ends[1]), std::pair(true, 72u));
    EXPECT_EQ(read(fileno(file)), std::pair(false, 72u));
    setenv("COLUMNS", "3", 1);
    setenv("TAPIR_OUTPUT", "plain", 1);
    EXPECT_EQ(read(ends[1]), std::pair(false, 20u));
    unsetenv("TAPIR_OUTPUT");
    unsetenv("COLUMNS");
    fclose(file);
    close(ends[0]);
    close(ends[1]);
}

}  // namespace
}  // namespace tapir::test
