// SPDX-License-Identifier: GPL-2.0-or-later
// perf.type(n).config(m) and what samples with its clock: timer.profile. Names for the events are aliases of the tapset
// perf.
#include <limits>

#include "probes/form.h"
#include "probes/kinds_table.h"

namespace tapir::probes {

namespace {

constexpr std::string_view kCounter =
    "events of one program's tasks cannot be counted yet; without .process() there is a counter for each CPU";
constexpr std::string_view kProcess = "name the program: .process(\"/PATH\")";
constexpr Form kForms[] = {
    {"timer.profile"},
    {"timer.profile.freq.hz(number)"},
    {"perf.type(number).config(number)"},
    {"perf.type(number).config(number).sample(number)"},
    {"perf.type(number).config(number).hz(number)"},
    {"perf.type(number).config(number).counter(string)"},
    {"perf.type(number).config(number).process(string)"},
    {"perf.type(number).config(number).sample(number).process(string)"},
    {"perf.type(number).config(number).hz(number).process(string)"},
    {"perf.type(number).config(number).process", kProcess},
    {"perf.type(number).config(number).process(string).counter(string)", kCounter},
    {"perf.type(number).config(number).sample(number).process", kProcess},
    {"perf.type(number).config(number).hz(number).process", kProcess},
};

// Of the kernel's enum perf_type_id and enum perf_sw_ids, which are part of its interface to programs.
constexpr uint32_t kSoftware = 1;
constexpr uint64_t kCpuClock = 0;
constexpr uint64_t kUsualPeriod = 1'000'000;
constexpr int64_t kMaxHertz = 1'000'000;

// What a component of a point says; false after a report.
bool read_component(const ast::PointComponent &component, Diagnostics &diagnostics, PerfEvent &event) {
    int64_t value = 0;
    if (component.name == "hz") {
        if (!argument_between(component, 1, kMaxHertz, diagnostics, value)) return false;
        event.period = 0;
        event.frequency = static_cast<uint64_t>(value);
    } else if (component.name == "type") {
        if (!argument_between(component, 0, std::numeric_limits<uint32_t>::max(), diagnostics, value)) return false;
        event.type = static_cast<uint32_t>(value);
        event.period = kUsualPeriod;
    } else if (component.name == "config") {
        event.config = static_cast<uint64_t>(number_argument(component));
    } else if (component.name == "sample") {
        if (!argument_between(component, 1, std::numeric_limits<int64_t>::max(), diagnostics, value)) return false;
        event.period = static_cast<uint64_t>(value);
    } else if (component.name == "counter") {
        event.counter = string_argument(component);
    } else if (component.name == "process") {
        event.program = string_argument(component);
        if (!event.program.starts_with('/')) {
            diagnostics.report(Tag::PerfProgram, component.arg->at, "the path of a program begins with '/'");
            return false;
        }
    }
    return true;
}

void resolve_perf(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    Attach attach;
    attach.kind = Kind::Perf;
    PerfEvent &event = attach.arg.emplace<PerfEvent>();
    attach.point = point.str();
    event.type = kSoftware;
    event.config = kCpuClock;
    for (const ast::PointComponent &component : point.components)
        if (!read_component(component, context.diagnostics, event)) return;
    out.push_back(std::move(attach));
}

void write_perf(const Attach &attach, ArgWriter &out) {
    const auto &event = attach.as<PerfEvent>();
    out.type("tapir_perf_arg");
    out.number("type", event.type);
    out.number("optional", int{attach.optional});
    out.number("config", event.config);
    out.number("period", event.period);
    out.number("frequency", event.frequency);
    out.optional_text("counter", event.counter);
    out.optional_text("program", event.program);
}

}  // namespace

const KindOps kPerf = {.forms = kForms, .resolve = resolve_perf, .write_arg = write_perf};

}  // namespace tapir::probes
