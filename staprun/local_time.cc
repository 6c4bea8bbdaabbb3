// SPDX-License-Identifier: GPL-2.0-or-later
#include "local_time.h"

#include <ctime>

namespace tapir::staprun {

std::string expand_time(const std::string &pattern, int64_t seconds) {
    if (pattern.find('%') == std::string::npos) return pattern;
    time_t when = static_cast<time_t>(seconds);
    struct tm local = {};
    localtime_r(&when, &local);
    // A trailing mark distinguishes an empty expansion from a buffer that is too small.
    std::string marked = pattern + "x";
    std::string out(pattern.size() + 256, '\0');
    for (;;) {
        size_t length = strftime(out.data(), out.size(), marked.c_str(), &local);
        if (length > 0) {
            out.resize(length - 1);
            return out;
        }
        out.resize(out.size() * 2);
    }
}

int32_t seconds_west_of_utc(int64_t seconds) {
    time_t when = static_cast<time_t>(seconds);
    struct tm local = {};
    return localtime_r(&when, &local) ? static_cast<int32_t>(-local.tm_gmtoff) : 0;
}

std::string zone_name(int64_t seconds) {
    time_t when = static_cast<time_t>(seconds);
    struct tm local = {};
    return localtime_r(&when, &local) && local.tm_zone ? local.tm_zone : "";
}

}  // namespace tapir::staprun
