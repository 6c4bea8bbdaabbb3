// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/units.h"

#include <gtest/gtest.h>

namespace tapir::report {
namespace {

TEST(Units, Times) {
    EXPECT_EQ(time_text(0), "0 s");
    EXPECT_EQ(time_text(1), "1 ns");
    EXPECT_EQ(time_text(980), "980 ns");
    EXPECT_EQ(time_text(999.6), "1.00 µs");
    EXPECT_EQ(time_text(4370), "4.37 µs");
    EXPECT_EQ(time_text(9994), "9.99 µs");
    EXPECT_EQ(time_text(9996), "10.0 µs");
    EXPECT_EQ(time_text(99'960), "100 µs");
    EXPECT_EQ(time_text(315'948'000), "316 ms");
    EXPECT_EQ(time_text(999'499'999), "999 ms");
    EXPECT_EQ(time_text(999'500'000), "1.00 s");
    EXPECT_EQ(time_text(7'651'000'000), "7.65 s");
    EXPECT_EQ(time_text(10.94e9), "10.9 s");
    EXPECT_EQ(time_text(1234.4e9), "1,234 s");
    // Values beyond all units have many digits, but no more than 19.
    EXPECT_EQ(time_text(1e300), "1,000,000,000,000,000,000 s");
}

TEST(Units, Bytes) {
    EXPECT_EQ(bytes_text(0), "0 bytes");
    EXPECT_EQ(bytes_text(1), "1 byte");
    EXPECT_EQ(bytes_text(1023), "1,023 bytes");
    EXPECT_EQ(bytes_text(1024), "1.00 KiB");
    EXPECT_EQ(bytes_text(1536), "1.50 KiB");
    EXPECT_EQ(bytes_text(1'048'575), "1.00 MiB");
    EXPECT_EQ(bytes_text(13'107'200), "12.5 MiB");
    EXPECT_EQ(bytes_text(0x1p63), "8,192 PiB");
}

TEST(Units, Counts) {
    EXPECT_EQ(count_text(0), "0");
    EXPECT_EQ(count_text(999), "999");
    EXPECT_EQ(count_text(12642), "12,642");
    EXPECT_EQ(count_text(UINT64_MAX), "18,446,744,073,709,551,615");
    EXPECT_EQ(counted(1, "wait", "waits"), "1 wait");
    EXPECT_EQ(counted(0, "wait", "waits"), "0 waits");
}

TEST(Units, Shares) {
    EXPECT_EQ(share_text(100.0), "100 %");
    EXPECT_EQ(share_text(99.96), "> 99.9 %");
    EXPECT_EQ(share_text(99.6), "99.6 %");
    EXPECT_EQ(share_text(99.4), "99 %");
    EXPECT_EQ(share_text(44.06), "44 %");
    EXPECT_EQ(share_text(9.96), "10 %");
    EXPECT_EQ(share_text(7.68), "7.7 %");
    EXPECT_EQ(share_text(0.3), "0.3 %");
    EXPECT_EQ(share_text(0.09), "< 0.1 %");
    EXPECT_EQ(share_text(0.0), "0 %");
    EXPECT_EQ(share_text(0, 0), "0 %");
    EXPECT_EQ(share_text(1, 3), "33 %");
    EXPECT_EQ(share_text(INT64_MAX / 2 - 1, INT64_MAX / 2), "> 99.9 %");
}

Units units(const std::string &unit, const std::string &clock = "probe", uint64_t hz = 0) {
    Profile profile;
    profile.unit = unit;
    profile.meta.clock = clock;
    profile.meta.hz = hz;
    return units_of(profile);
}

TEST(Units, OfProfiles) {
    EXPECT_EQ(units("microseconds").text(7'651'234), "7.65 s");
    EXPECT_EQ(units("nanoseconds").text(1'500), "1.50 µs");
    EXPECT_EQ(units("milliseconds").text(3), "3.00 ms");
    EXPECT_EQ(units("seconds").text(3), "3.00 s");
    EXPECT_EQ(units("bytes").text(4096), "4.00 KiB");
    EXPECT_EQ(units("faults").text(12642), "12,642 faults");
    EXPECT_EQ(units("faults").text(1), "1 fault");
    EXPECT_EQ(units("cache misses").text(1), "1 cache miss");
    EXPECT_EQ(units("branches").text(1), "1 branch");
    // 315 ticks of a clock of 997 Hz are 315.9 ms.
    EXPECT_EQ(units("samples", "soft", 997).text(315), "316 ms");
    EXPECT_EQ(units("samples", "soft", 997).long_text(315), "316 ms, 315 samples");
    EXPECT_EQ(units("samples", "soft", 1000).long_text(1), "1.00 ms, 1 sample");
    // Events of the hardware have no time, and hits of probes have none.
    EXPECT_EQ(units("samples", "pmu", 997).long_text(315), "315 samples");
    EXPECT_EQ(units("samples").text(315), "315 samples");
    // Sums of a clock's samples are no samples.
    EXPECT_EQ(units("microseconds", "soft", 997).long_text(1000), "1.00 ms");
}

}  // namespace
}  // namespace tapir::report
