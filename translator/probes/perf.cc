// SPDX-License-Identifier: GPL-2.0-or-later
// perf.type(n).config(m) and what samples with its clock: timer.profile. Names for the events are aliases of the tapset
// perf.
#include <limits>

#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/perf_event.h"
#include "probes/program_point.h"

namespace tapir::probes {

namespace {

constexpr Form kPerfForms[] = {
    {"timer.profile"},
    {"timer.profile.tick"},
    {"timer.profile.freq.hz(number)"},
    {"perf.type(number).config(number)"},
    {"perf.type(number).config(number).sample(number)"},
    {"perf.type(number).config(number).hz(number)"},
    {"perf.type(number).config(number).counter(string)"},
    {"perf.type(number).config(number).process(string)"},
    {"perf.type(number).config(number).sample(number).process(string)"},
    {"perf.type(number).config(number).hz(number).process(string)"},
    {"perf.type(number).config(number).process"},
    {"perf.type(number).config(number).sample(number).process"},
    {"perf.type(number).config(number).hz(number).process"},
};

// Values of the kernel's enum perf_type_id and enum perf_sw_ids, which are part of its interface to programs.
constexpr uint32_t kSoftware = 1;
constexpr uint64_t kCpuClock = 0;
constexpr uint64_t kUsualPeriod = 1'000'000;
constexpr int64_t kMaxHertz = 1'000'000;

// Reads a component of a point; false after a report.
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
        if (event.counter.empty()) {
            diagnostics.report(Tag::ProbeArgument, component.arg->at,
                               ".counter() needs a name, by which @perf(NAME) reads the counter");
            return false;
        }
    }
    return true;
}

// The file that tasks have to run; "" after a report. A path need not be one of this machine.
std::string program_of(const ast::PointComponent &process, const ResolveContext &context) {
    if (!process.arg) {
        Where where{&process};
        const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
        return objects.empty() ? "" : objects.front()->module;
    }
    const std::string &path = string_argument(process);
    if (path.starts_with('/')) return path;
    context.diagnostics.report(Tag::PerfProgram, process.arg->at, "the path of a program begins with '/'");
    return "";
}

void resolve_perf(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    auto event = read_perf_event(point, context.diagnostics);
    if (!event) return;
    Attach attach;
    attach.kind = Kind::Perf;
    attach.point = point.str();
    const ast::PointComponent &last = point.components.back();
    if (last.name == "process") {
        event->program = program_of(last, context);
        if (event->program.empty()) return;
        if (!last.arg) attach.point += "(\"" + string_text(event->program) + "\")";
    }
    for (const ast::PointComponent &component : point.components) {
        const bool is_rate = component.name == "hz";
        if (const std::string &option = option_of(component); !option.empty())
            attach.from_globals.push_back(
                {option, is_rate ? "frequency" : "period", 1, 0, 1, is_rate ? kMaxHertz : INT64_MAX});
    }
    attach.arg = *event;
    out.push_back(std::move(attach));
}

void write_perf(const Attach &attach, Arg &out) {
    const auto &event = attach.as<PerfEvent>();
    out.type("tapir_perf_arg");
    write_perf_event(event, out);
    out.number("optional", int{attach.optional});
    write_number(attach, "period", event.period, out);
    write_number(attach, "frequency", event.frequency, out);
    out.optional_text("counter", event.counter);
    out.optional_text("program", event.program);
}

}  // namespace

std::optional<PerfEvent> read_perf_event(const ast::ProbePoint &point, Diagnostics &diagnostics) {
    PerfEvent event;
    event.type = kSoftware;
    event.config = kCpuClock;
    for (const ast::PointComponent &component : point.components)
        if (!read_component(component, diagnostics, event)) return std::nullopt;
    return event;
}

void write_perf_event(const PerfEvent &event, Arg &out) {
    out.number("type", event.type);
    out.number("config", event.config);
}

// A sample finds each thread where it stands. Counters count nothing.
static bool has_no_event(size_t form) {
    return kPerfForms[form].text.find(".counter") == std::string_view::npos;
}

const KindOps kPerf = {
    .forms = kPerfForms, .resolve = resolve_perf, .stands_still = has_no_event, .write_arg = write_perf};

}  // namespace tapir::probes
