// SPDX-License-Identifier: GPL-2.0-or-later
// A located probe: what the translator knows about one attachment once a probe point is resolved.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tapir::probes {

// One enumerator per probe kind. The same names are used for the kind's translator file (probes/<name>.cc), its kernel
// file (kmod/kind_<name>.c), its tests and its documentation page.
enum class Kind : uint8_t {
    Begin,  // begin, end and error share one kind; see Attach::phase
    Timer,
    Function,  // kernel.function, kprobe.function by symbol: ftrace where there is a site, else kprobe
    Never,     // resolved and checked, never attached
};

enum class Phase : uint8_t { Begin, End, Error };

enum class TimerUnit : uint8_t { Nanoseconds, Jiffies };

struct Attach {
    Kind kind = Kind::Never;
    // The expanded probe point, as pp() and reports show it. For a wildcard over symbols: the point of the first one;
    // the runtime composes the others from `point_prefix` + symbol + `point_suffix`.
    std::string point;
    std::string point_prefix, point_suffix;
    std::string written;  // the point of the script that this came from

    // Begin
    Phase phase = Phase::Begin;
    int64_t order = 0;

    // Timer
    TimerUnit unit = TimerUnit::Nanoseconds;
    uint64_t period = 0;
    uint64_t randomize = 0;  // +- this much, same unit

    // Function: symbol names, sorted, without duplicates.
    std::vector<std::string> symbols;
    bool kprobe = false;         // written as kprobe.function
    bool from_wildcard = false;  // a symbol that cannot be attached is then counted, not an error
    bool optional = false;       // "?": not attaching is not an error either
};

}  // namespace tapir::probes
