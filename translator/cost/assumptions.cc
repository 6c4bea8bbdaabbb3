// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/assumptions.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cost/number_text.h"

namespace tapir::cost {
namespace {

struct Name {
    std::string_view name;
    double Assumptions::*member;
    double least, most;
};
constexpr Name kNames[] = {
    {"frames", &Assumptions::frames, 0, 2048}, {"kernel-frames", &Assumptions::kernel_frames, 0, 2048},
    {"text", &Assumptions::text, 0, 65536},    {"elements", &Assumptions::elements, 0, 1e9},
    {"turns", &Assumptions::turns, 0, 1e9},    {"cpus", &Assumptions::cpus, 1, 65536},
    {"ips", &Assumptions::ips, 1, 1e15},
};

std::string names() {
    std::string text;
    for (const Name &name : kNames)
        text += (text.empty() ? "" : ", ") + std::string(name.name);
    return text;
}

Outcome<void> assume_one(std::string_view pair, Assumptions &assumptions) {
    const size_t equal = pair.find('=');
    const auto name = std::find_if(std::begin(kNames), std::end(kNames),
                                   [&](const Name &n) { return n.name == pair.substr(0, equal); });
    if (equal == std::string_view::npos || name == std::end(kNames))
        return Fault{FaultTag::Misuse, "Invalid assumption '" + std::string(pair) + "' (--assume)",
                     "write NAME=VALUE, with one of " + names()};
    const std::string_view text = pair.substr(equal + 1);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= name->least && value <= name->most))
        return Fault{FaultTag::Misuse, "Invalid value '" + std::string(text) + "' of the assumption " +
                                           std::string(name->name) + " (should be a number, " +
                                           number_text(name->least) + " to " + number_text(name->most) + ")"};
    assumptions.*name->member = value;
    return {};
}

}  // namespace

Outcome<void> assume(std::string_view list, Assumptions &assumptions) {
    for (size_t at = 0; at <= list.size();) {
        const size_t comma = std::min(list.find(',', at), list.size());
        if (Outcome<void> good = assume_one(list.substr(at, comma - at), assumptions); !good) return good;
        at = comma + 1;
    }
    return {};
}

std::string described(const Assumptions &a) {
    return "stacks of " + number_text(a.frames) + " frames in programs and " + number_text(a.kernel_frames) +
           " in the kernel, strings of " + number_text(a.text) + " bytes, arrays of " + number_text(a.elements) +
           " elements, loops of " + number_text(a.turns) + " turns, " + number_text(a.cpus) + " CPU" +
           (a.cpus == 1 ? "" : "s") + ", " + number_text(a.ips) + " instructions a second of a CPU";
}

Sizes sizes_at(Level level, const Assumptions &a) {
    const double times = level == Level::Least ? 0 : level == Level::Most ? kMostOfAssumed : 1;
    Sizes sizes{a.frames * times, a.kernel_frames * times, a.text * times, a.elements * times, a.turns * times};
    // A stack has the frame that was hit.
    if (level == Level::Least)
        sizes.frames = std::min(a.frames, 1.0), sizes.kernel_frames = std::min(a.kernel_frames, 1.0);
    return sizes;
}

}  // namespace tapir::cost
