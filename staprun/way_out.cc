// SPDX-License-Identifier: GPL-2.0-or-later
#include "way_out.h"

namespace tapir::staprun {

namespace {

// Advice for the errors of runtime/ and kmod/, by the beginnings of their texts.
constexpr struct {
    std::string_view error, advice;
} kAdvice[] = {
    {"MAXACTION exceeded",
     "do less in one hit, or in an end probe or a timer; -D MAXACTION=N allows ten times N, "
     "-g --suppress-time-limits any number [man error::limits]"},
    {"MAXTIME exceeded",
     "do less in one hit, or in an end probe, where no caller waits; keep arrays and strings small; -D MAXTIME=N "
     "allows N microseconds [man error::limits]"},
    {"MAXNESTING exceeded", "-D MAXNESTING=N allows deeper calls, if the recursion ends at all [man error::limits]"},
    {"Array overflow, check MAXMAPENTRIES",
     "delete what is done with, give the array a size, global a[N], let old elements go, global a%, or use "
     "-D MAXMAPENTRIES=N [man error::limits]"},
    {"Array overflow, check size limit",
     "declare the array with a larger size, or let old elements go, global a%[N] [man error::limits]"},
    {"Array overflow, no memory for more",
     "delete what is done with, let old elements go, global a%[N], or keep less in an element: shorter strings, no "
     "histogram [man error::limits]"},
    {"Array overflow, no element of",
     "give the array a size, global a[N], so that its elements are there from the start, or create fewer in one hit "
     "[man error::limits]"},
    {"Skipped too many probes", "probe less, or do less at each hit; -D MAXSKIPPED=N allows more [man error::limits]"},
    {"division by 0", "test the divisor before, or catch the error: try { ... } catch { ... }"},
    {"empty aggregate", "ask @count before, or catch the error: try { ... } catch { ... }"},
};

}  // namespace

std::string_view advice_for(std::string_view error) {
    for (const auto &[begin, advice] : kAdvice)
        if (error.starts_with(begin)) return advice;
    return {};
}

}  // namespace tapir::staprun
