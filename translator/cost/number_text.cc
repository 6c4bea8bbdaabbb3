// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/number_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace tapir::cost {

std::string number_text(double value) {
    char text[64];
    const bool small = value < 10 && std::fabs(value - std::round(value)) >= 0.05;
    std::snprintf(text, sizeof text, small ? "%.1f" : "%.0f", value);
    const std::string_view digits(text);
    const size_t whole = std::min(digits.find('.'), digits.size());
    std::string grouped;
    for (size_t i = 0; i < digits.size(); ++i) {
        if (i && i < whole && (whole - i) % 3 == 0) grouped += ',';
        grouped += digits[i];
    }
    return grouped;
}

}  // namespace tapir::cost
