// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/measure.h"

#include "common/plain_text.h"

extern "C" {
#include "items/measures.h"
}

namespace tapir::live {

namespace {

constexpr u32 kBarColumns = 24;

}  // namespace

std::string bar(uint64_t part, uint64_t most) {
    char text[TAPIR_BAR_MAX];
    tapir_bar(text, true, kBarColumns, part, most);
    return text;
}

std::string whole(uint64_t count) {
    char text[TAPIR_MEASURE_MAX];
    tapir_count_whole(text, count);
    return text;
}

std::string cell_text(const Column &column, const Value &value, bool utf8) {
    if (value.is_text) return value.text;
    const tapir_unit unit = tapir_unit_of(column.unit.c_str());
    if (column.kind != ColumnKind::Text && unit.kind != TAPIR_UNIT_PLAIN) {
        const tapir_screen screen = {TAPIR_SCREEN_USUAL, true, utf8};
        char text[TAPIR_MEASURE_MAX];
        tapir_measure(text, &screen, &unit, value.number);
        return text;
    }
    if (column.kind != ColumnKind::Number) return std::to_string(value.number);
    const bool negative = value.number < 0;
    const auto count = static_cast<uint64_t>(value.number);
    return (negative ? "-" : "") + whole(negative ? 0 - count : count) + (column.unit == "%" ? " %" : "");
}

std::string duration(uint64_t ns) {
    const uint64_t seconds = ns / 1000000000;
    if (seconds < 60) return format("%.1f s", static_cast<double>(ns / 100000000) / 10);
    if (seconds < 3600)
        return format("%llu min %llu s", static_cast<unsigned long long>(seconds / 60),
                      static_cast<unsigned long long>(seconds % 60));
    return format("%llu h %llu min", static_cast<unsigned long long>(seconds / 3600),
                  static_cast<unsigned long long>(seconds / 60 % 60));
}

}  // namespace tapir::live
