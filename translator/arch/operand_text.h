// SPDX-License-Identifier: GPL-2.0-or-later
// What operands in the syntax of any assembler have in common.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tapir::arch {

// Without blanks around it.
inline std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ')
        text.remove_suffix(1);
    return text;
}

// "12", "-0x10", "+4"; all of the text.
inline std::optional<int64_t> whole_number(std::string_view text) {
    bool negative = false;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    int base = 10;
    if (text.starts_with("0x") || text.starts_with("0X")) {
        base = 16;
        text.remove_prefix(2);
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return static_cast<int64_t>(negative ? 0 - value : value);
}

}  // namespace tapir::arch
