// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/clock_rates.h"

#include <cstdlib>

namespace tapir::cost {
namespace {

constexpr double kSecond = 1e9;

// A member of the argument as the session's start sets it.
double set_member(const probes::Attach &attach, std::string_view member, double value, const Settings &settings) {
    for (const probes::FromGlobal &from : attach.from_globals) {
        const auto set = settings.find(from.name);
        if (from.into != member || set == settings.end()) continue;
        const double global = std::strtod(set->second.c_str(), nullptr);
        if (!(global > 0)) continue;
        return from.dividend ? static_cast<double>(from.dividend) / global : static_cast<double>(from.times) * global;
    }
    return value;
}

}  // namespace

std::optional<double> clock_rate(const probes::Attach &attach, const Settings &settings, double cpus, double ticks) {
    if (const auto *timer = std::get_if<probes::Interval>(&attach.arg)) {
        const double period = set_member(attach, "period", static_cast<double>(timer->period), settings);
        if (!(period > 0)) return {};
        return (timer->unit == probes::TimerUnit::Jiffies ? ticks : kSecond) / period;
    }
    const auto *event = std::get_if<probes::PerfEvent>(&attach.arg);
    if (!event || attach.kind != probes::Kind::Perf) return {};
    const double frequency = set_member(attach, "frequency", static_cast<double>(event->frequency), settings);
    if (frequency > 0) return frequency * cpus;
    const double period = set_member(attach, "period", static_cast<double>(event->period), settings);
    if (!(period > 0)) return ticks * cpus;
    // The software events of clocks are 0 and 1; their period is in nanoseconds.
    constexpr uint32_t kSoftware = 1;
    if (event->type == kSoftware && event->config <= 1) return kSecond / period * cpus;
    return {};
}

}  // namespace tapir::cost
