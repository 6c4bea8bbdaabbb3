// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/units.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/plain_text.h"

namespace tapir::report {

namespace {

struct Step {
    double size;
    const char *unit;
};

// Three digits; whole numbers from 1000 on. Rounding never gives a fourth digit.
std::string three_digits(double value) {
    if (value < 9.995) return format("%.2f", value);
    if (value < 99.95) return format("%.1f", value);
    return count_text(static_cast<uint64_t>(std::llround(std::min(value, 1e18))));
}

// Digits of counts are whole: there is no half of a nanosecond or of a byte.
std::string scaled(double value, const Step *steps, size_t count, double next) {
    size_t at = 0;
    while (at + 1 < count && value / steps[at].size >= next)
        at++;
    const std::string digits =
        at ? three_digits(value / steps[at].size) : count_text(static_cast<uint64_t>(std::llround(value)));
    return digits + " " + steps[at].unit;
}

// "1 fault" of "faults": the units of scripts are plurals.
std::string singular(const std::string &unit) {
    for (const char *end : {"sses", "shes", "nches", "tches"})
        if (unit.ends_with(end)) return unit.substr(0, unit.size() - 2);
    const bool plural = unit.size() > 2 && unit.ends_with("s") && !unit.ends_with("ss");
    return plural ? unit.substr(0, unit.size() - 1) : unit;
}

}  // namespace

std::string time_text(double nanoseconds) {
    static constexpr Step kSteps[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};
    if (nanoseconds < 0.5) return "0 s";
    // 999.6 µs are 1.00 ms.
    return scaled(nanoseconds, kSteps, std::size(kSteps), 999.5);
}

std::string bytes_text(double bytes) {
    static constexpr Step kSteps[] = {{1, "bytes"},    {0x1p10, "KiB"}, {0x1p20, "MiB"},
                                      {0x1p30, "GiB"}, {0x1p40, "TiB"}, {0x1p50, "PiB"}};
    if (bytes >= 0.5 && bytes < 1.5) return "1 byte";
    return scaled(std::max(bytes, 0.0), kSteps, std::size(kSteps), 1023.5);
}

std::string count_text(uint64_t count) {
    std::string digits = std::to_string(count);
    for (size_t at = digits.size(); at > 3; at -= 3)
        digits.insert(at - 3, ",");
    return digits;
}

std::string counted(uint64_t count, std::string_view one, std::string_view many) {
    return count_text(count) + " " + std::string(count == 1 ? one : many);
}

std::string share_text(double percent) {
    if (percent >= 100) return "100 %";
    if (percent > 99.9) return "> 99.9 %";
    if (percent >= 99.5) return format("%.1f %%", percent);
    if (percent >= 9.95) return format("%.0f %%", percent);
    if (percent >= 0.1) return format("%.1f %%", percent);
    return percent > 0 ? "< 0.1 %" : "0 %";
}

std::string share_text(int64_t part, int64_t all) {
    if (!all) return "0 %";
    if (part == all) return "100 %";
    // As a double, nearly all may equal all.
    return share_text(std::min(100 * static_cast<double>(part) / static_cast<double>(all), 99.99));
}

std::string Units::text(int64_t value) const {
    if (value < 0) return "-" + text(-std::max(value, -INT64_MAX));
    const auto amount = static_cast<double>(value) * scale;
    switch (measure) {
        case Measure::Time:
        case Measure::Samples:
            return time_text(amount);
        case Measure::Bytes:
            return bytes_text(amount);
        case Measure::Plain:
            break;
    }
    return counted(static_cast<uint64_t>(value), singular(unit), unit);
}

std::string Units::long_text(int64_t value) const {
    if (measure != Measure::Samples) return text(value);
    return text(value) + ", " + counted(static_cast<uint64_t>(std::max<int64_t>(value, 0)), "sample", "samples");
}

Units units_of(const Profile &profile) {
    static constexpr Step kTimes[] = {
        {1, "nanoseconds"}, {1e3, "microseconds"}, {1e6, "milliseconds"}, {1e9, "seconds"}};
    Units out;
    out.unit = profile.unit;
    for (const Step &time : kTimes)
        if (profile.unit == time.unit) {
            out.measure = Measure::Time;
            out.scale = time.size;
        }
    if (profile.counted) return out;
    if (profile.unit == "bytes") out.measure = Measure::Bytes;
    // Hits of probes and events of the hardware are no ticks of a clock, even if the capture has a rate.
    if (profile.unit == "samples" && profile.meta.clock == "soft" && profile.meta.hz) {
        out.measure = Measure::Samples;
        out.scale = 1e9 / static_cast<double>(profile.meta.hz);
    }
    return out;
}

}  // namespace tapir::report
