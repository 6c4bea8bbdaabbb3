// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/size_text.h"

namespace tapir {

std::string size_text(uint64_t bytes) {
    if (bytes < 1'000'000) return std::to_string((bytes + 999) / 1000) + " KB";
    return std::to_string((bytes + 999'999) / 1'000'000) + " MB";
}

}  // namespace tapir
