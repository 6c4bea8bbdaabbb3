// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/bars.h"

#include <algorithm>

namespace tapir::live {

std::string bar(double share, size_t width) {
    static constexpr const char *kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto most = static_cast<double>(width * 8);
    auto eighths = static_cast<size_t>(std::clamp(share, 0.0, 1.0) * most + 0.5);
    if (share > 0 && eighths == 0) eighths = 1;
    std::string text;
    for (size_t i = 0; i < eighths / 8; i++)
        text += "█";
    return text + kEighths[eighths % 8];
}

}  // namespace tapir::live
