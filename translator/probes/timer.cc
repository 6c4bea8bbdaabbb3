// SPDX-License-Identifier: GPL-2.0-or-later
// timer.UNIT(n), timer.UNIT(n).randomize(m) and timer.hz(n).
#include <limits>

#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr Form kTimerForms[] = {
    {"timer.s(number)"},       {"timer.s(number).randomize(number)"},
    {"timer.sec(number)"},     {"timer.sec(number).randomize(number)"},
    {"timer.ms(number)"},      {"timer.ms(number).randomize(number)"},
    {"timer.msec(number)"},    {"timer.msec(number).randomize(number)"},
    {"timer.us(number)"},      {"timer.us(number).randomize(number)"},
    {"timer.usec(number)"},    {"timer.usec(number).randomize(number)"},
    {"timer.ns(number)"},      {"timer.ns(number).randomize(number)"},
    {"timer.nsec(number)"},    {"timer.nsec(number).randomize(number)"},
    {"timer.jiffies(number)"}, {"timer.jiffies(number).randomize(number)"},
    {"timer.hz(number)"},
};
constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kScale[] = {kSecond, kSecond, 1'000'000, 1'000'000, 1000, 1000, 1, 1, 1};
constexpr size_t kJiffies = 8;
constexpr size_t kMilliseconds = 3;  // the last unit of these
constexpr size_t kHertz = 18;

// The largest number of units whose product fits 63 bits.
int64_t most_of(uint64_t scale) {
    return static_cast<int64_t>(static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / scale);
}

// A number of units as nanoseconds or jiffies; false and a report when it is not positive or does not fit 63 bits.
bool scaled(const ast::PointComponent &component, uint64_t scale, int64_t least, const ResolveContext &context,
            uint64_t &out) {
    const int64_t most = most_of(scale);
    int64_t value = number_argument(component);
    if (value < least || value > most) {
        context.diagnostics.report(
            Tag::TimerInterval, component.arg->at,
            "interval value out of range (" + std::to_string(least) + " to " + std::to_string(most) + ")");
        return false;
    }
    out = static_cast<uint64_t>(value) * scale;
    return true;
}

void resolve_timer(const ast::ProbePoint &point, size_t form, const ResolveContext &context, std::vector<Attach> &out) {
    Attach attach;
    attach.kind = Kind::Timer;
    Interval &timer = attach.arg.emplace<Interval>();
    attach.point = point.str();
    const ast::PointComponent &interval = point.components[1];
    const std::string &option = option_of(interval);
    if (form == kHertz) {
        int64_t hertz = number_argument(interval);
        if (hertz < 1 || hertz > static_cast<int64_t>(kSecond)) {
            context.diagnostics.report(Tag::TimerInterval, interval.arg->at,
                                       "frequency out of range (1 to 1000000000)");
            return;
        }
        timer.period = kSecond / static_cast<uint64_t>(hertz);
        if (!option.empty())
            attach.from_globals.push_back({option, "period", 1, kSecond, 1, static_cast<int64_t>(kSecond)});
        out.push_back(std::move(attach));
        return;
    }
    uint64_t scale = kScale[form / 2];
    if (form / 2 == kJiffies) timer.unit = TimerUnit::Jiffies;
    timer.may_be_late = form / 2 <= kMilliseconds || form / 2 == kJiffies;
    if (!scaled(interval, scale, 1, context, timer.period)) return;
    if (!option.empty()) attach.from_globals.push_back({option, "period", scale, 0, 1, most_of(scale)});
    if (form % 2) {
        const ast::PointComponent &random = point.components[2];
        if (!scaled(random, scale, 0, context, timer.randomize)) return;
        if (timer.randomize > timer.period) {
            context.diagnostics.report(Tag::TimerInterval, random.arg->at,
                                       "randomize value is larger than the interval");
            return;
        }
    }
    out.push_back(std::move(attach));
}

void write_timer(const Attach &attach, Arg &out) {
    const auto &timer = attach.as<Interval>();
    out.type("tapir_timer_arg");
    out.number("jiffies", int{timer.unit == TimerUnit::Jiffies});
    write_number(attach, "period", timer.period, out);
    out.number("randomize", timer.randomize);
}

}  // namespace

const KindOps kTimer = {.forms = kTimerForms, .resolve = resolve_timer, .write_arg = write_timer};

}  // namespace tapir::probes
