// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/percentage.h"

#include <charconv>

namespace tapir {

namespace {

constexpr uint32_t kAll = 10000, kPercent = 100;

bool read_digits(std::string_view text, uint32_t &value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<uint32_t> hundredths_of_percent(std::string_view text) {
    if (text.ends_with('%')) text.remove_suffix(1);
    const size_t point = text.find('.');
    uint32_t whole = 0, part = 0;
    if (!read_digits(text.substr(0, point), whole) || whole > kAll / kPercent) return std::nullopt;
    if (point != std::string_view::npos) {
        const std::string_view digits = text.substr(point + 1);
        if (digits.empty() || digits.size() > 2 || !read_digits(digits, part)) return std::nullopt;
        if (digits.size() == 1) part *= 10;
    }
    const uint32_t value = whole * kPercent + part;
    if (value == 0 || value > kAll) return std::nullopt;
    return value;
}

}  // namespace tapir
