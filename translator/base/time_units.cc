// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/time_units.h"

#include <charconv>

namespace tapir {

std::optional<int64_t> read_time(std::string_view text) {
    int64_t number = 0, ns = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    for (const Unit &unit : kTimes)
        if (unit.name == text && !__builtin_mul_overflow(number, unit.size, &ns)) return ns;
    return std::nullopt;
}

std::string time_text(int64_t ns) {
    const Unit *best = &kTimes[0];
    for (const Unit &unit : kTimes)
        if (ns % unit.size == 0 && unit.size > best->size) best = &unit;
    return std::to_string(ns / best->size) + std::string(best->name);
}

}  // namespace tapir
