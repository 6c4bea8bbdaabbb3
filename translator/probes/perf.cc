// SPDX-License-Identifier: GPL-2.0-or-later
// perf.type(n).config(m) and what samples with its clock: timer.profile. Names for the events are aliases of the tapset
// perf.
#include <limits>

#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kCounter = "a counter is read in probes of a process, and processes cannot be probed yet";
constexpr std::string_view kProcess = "processes cannot be probed yet";
constexpr Form kForms[] = {
    {"timer.profile"},
    {"timer.profile.freq.hz(number)"},
    {"perf.type(number).config(number)"},
    {"perf.type(number).config(number).sample(number)"},
    {"perf.type(number).config(number).hz(number)"},
    {"perf.type(number).config(number).counter(string)", kCounter},
    {"perf.type(number).config(number).process", kProcess},
    {"perf.type(number).config(number).process(string)", kProcess},
    {"perf.type(number).config(number).process(string).counter(string)", kCounter},
    {"perf.type(number).config(number).sample(number).process", kProcess},
    {"perf.type(number).config(number).sample(number).process(string)", kProcess},
    {"perf.type(number).config(number).hz(number).process", kProcess},
    {"perf.type(number).config(number).hz(number).process(string)", kProcess},
};
enum : size_t { kProfile, kProfileHertz, kPlain, kSample, kHertz };

// Of the kernel's enum perf_type_id and enum perf_sw_ids, which are part of its interface to programs.
constexpr uint32_t kSoftware = 1;
constexpr uint64_t kCpuClock = 0;
constexpr uint64_t kUsualPeriod = 1'000'000;
constexpr int64_t kMaxHertz = 1'000'000;

void resolve_perf(const ast::ProbePoint &point, size_t form, const ResolveContext &context, std::vector<Attach> &out) {
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    Attach attach;
    attach.kind = Kind::Perf;
    attach.point = point.str();
    attach.perf.type = kSoftware;
    attach.perf.config = kCpuClock;
    int64_t value = 0;
    if (form == kProfileHertz) {
        if (!argument_between(point.components[3], 1, kMaxHertz, context.diagnostics, value)) return;
        attach.perf.frequency = static_cast<uint64_t>(value);
    } else if (form != kProfile) {
        if (!argument_between(point.components[1], 0, std::numeric_limits<uint32_t>::max(), context.diagnostics, value))
            return;
        attach.perf.type = static_cast<uint32_t>(value);
        attach.perf.config = static_cast<uint64_t>(number_argument(point.components[2]));
        attach.perf.period = kUsualPeriod;
    }
    if (form == kSample) {
        if (!argument_between(point.components[3], 1, kMax, context.diagnostics, value)) return;
        attach.perf.period = static_cast<uint64_t>(value);
    } else if (form == kHertz) {
        if (!argument_between(point.components[3], 1, kMaxHertz, context.diagnostics, value)) return;
        attach.perf.period = 0;
        attach.perf.frequency = static_cast<uint64_t>(value);
    }
    out.push_back(std::move(attach));
}

}  // namespace

const KindOps kPerf = {"perf", kForms, resolve_perf};

}  // namespace tapir::probes
