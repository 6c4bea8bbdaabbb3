// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/limits.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <vector>

#include "base/name_patterns.h"

namespace tapir {

namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
constexpr int64_t kMost32 = std::numeric_limits<int32_t>::max();

constexpr Limit kLimits[] = {
    {"MAXACTION", 1, kMost, true},
    {"MAXACTION_INTERRUPTIBLE", 1, kMost, true},
    {"MAXERRORS", 0, kMost32, true},
    {"MAXSKIPPED", 0, kMost32, true},
    {"MAXNESTING", 1, kMost32, true},
    {"MAXMAPENTRIES", 1, kMost32, true},
    {"MINSTACKSPACE", 0, kMost32, true},
    {"MAXTIME", 1, 1000000000, true},
    {"MAXRECALLTHREADS", 1, 1 << 20, true},
    {"MAXSTRINGLEN", 16, 65536, false},
    {"INTERRUPTIBLE", 0, 1, false},
    {"HIST_ELISION", -kMost32, kMost32, false},
    {"HIST_WIDTH", 1, 1000, false},
    {"HIST_UNITS", 0, 1, false},
    {"STP_PROCFS_BUFSIZE", 1, 1 << 24, false},
    {"STP_OVERLOAD_THRESHOLD", 1, kMost, false},
    {"STP_OVERLOAD_INTERVAL", 1, kMost, false},
};

// The macros of stap(1) of SystemTap 5.6 and of its runtime's defaults.
struct Needless {
    std::string_view name, why;
};
constexpr Needless kNeedless[] = {
    {"MAXBACKTRACE", "stacks are shown with up to 128 frames, and as text with as many as MAXSTRINGLEN has room for"},
    {"MAXTRYLOCK", "handlers wait for each other as long as it takes"},
    {"TRYLOCKDELAY", "handlers wait for each other as long as it takes"},
    {"KRETACTIVE", "set it at the probe: .return.maxactive(N)"},
    {"MAXUPROBES", "there is room for all places of a script"},
    {"STP_NO_OVERLOAD", "without --on-overload=stop no session ends because of its overhead"},
    {"STP_MAXMEMORY", "the limits of arrays and strings bound what a module needs"},
};

}  // namespace

const Limit *find_limit(std::string_view name) {
    const auto *found =
        std::find_if(std::begin(kLimits), std::end(kLimits), [&](const Limit &limit) { return limit.name == name; });
    return found == std::end(kLimits) ? nullptr : found;
}

std::string why_no_value(const Limit &limit, std::string_view text) {
    const std::string digits(text);
    char *end = nullptr;
    errno = 0;
    const int64_t value = std::strtoll(digits.c_str(), &end, 0);
    const bool number = !digits.empty() && *end == '\0';
    if (number && errno == 0 && value >= limit.least && value <= limit.most) return {};
    std::string range = "a number";
    if (limit.most != kMost && limit.most != kMost32)
        range += " from " + std::to_string(limit.least) + " to " + std::to_string(limit.most);
    else if (limit.least >= 0)
        range += " from " + std::to_string(limit.least) + " on";
    return std::string(limit.name) + " is " + range + ", not '" + digits + "'";
}

std::string_view why_not_needed(std::string_view macro) {
    const auto *found = std::find_if(std::begin(kNeedless), std::end(kNeedless),
                                     [&](const Needless &needless) { return needless.name == macro; });
    return found == std::end(kNeedless) ? std::string_view() : found->why;
}

std::string similar_limits(std::string_view name) {
    std::vector<std::string_view> names;
    for (const Limit &limit : kLimits)
        names.push_back(limit.name);
    return similar_text(similar_views(name, names));
}

}  // namespace tapir
