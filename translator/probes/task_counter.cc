// SPDX-License-Identifier: GPL-2.0-or-later
// perf.type(n).config(m).process(...).counter("name"): events that are counted in each thread of a program.
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/perf_event.h"
#include "probes/program_point.h"
#include "probes/program_tasks.h"

namespace tapir::probes {

namespace {

constexpr Form kTaskCounterForms[] = {
    {"perf.type(number).config(number).process.counter(string)"},
    {"perf.type(number).config(number).process(string).counter(string)"},
    {"perf.type(number).config(number).process(number).counter(string)"},
};
constexpr size_t kProcess = 3;  // the component

// "perf.type(1).config(2)."
std::string event_text(const ast::ProbePoint &point) {
    std::string text;
    for (size_t i = 0; i < kProcess; ++i) {
        const ast::PointComponent &component = point.components[i];
        text += component.name + (component.arg ? "(" + ast::print(*component.arg) + ")" : "") + ".";
    }
    return text;
}

void resolve_task_counter(const ast::ProbePoint &point, size_t, const ResolveContext &context,
                          std::vector<Attach> &out) {
    const ast::PointComponent &process = point.components[kProcess];
    const auto event = read_perf_event(point, context.diagnostics);
    if (!event) return;
    Where where{&process};
    const std::vector<const target::DebugObject *> objects = find_program_files(where, context);
    const size_t before = out.size();
    for (const target::DebugObject *object : objects) {
        auto tasks = find_tasks(*object);
        if (!tasks) continue;
        object->used = true;
        tasks->user.pid = where.pid;
        Attach attach;
        attach.kind = Kind::TaskCounter;
        attach.arg = TaskCounter{*tasks, *event};
        attach.from_wildcard = objects.size() > 1;
        attach.point =
            event_text(point) + program_prefix(where, *object) + "counter(\"" + string_text(event->counter) + "\")";
        out.push_back(std::move(attach));
    }
    // Not every file of a pattern needs to be one.
    if (out.size() == before && !objects.empty())
        context.diagnostics.report(Tag::NoSuchProgram, process.arg ? process.arg->at : process.at,
                                   objects.front()->module +
                                       " is a library, which no process runs: name a program, whose threads "
                                       "are counted in libraries, too");
}

void write_task_counter(const Attach &attach, Arg &out) {
    const auto &counter = attach.as<TaskCounter>();
    out.type("tapir_task_counter_arg");
    out.nested("task", [&](Arg &task) { write_tasks(attach, counter.tasks, task); });
    write_perf_event(counter.event, out);
    out.text("name", counter.event.counter);
}

}  // namespace

const KindOps kTaskCounter = {
    .forms = kTaskCounterForms, .resolve = resolve_task_counter, .write_arg = write_task_counter};

}  // namespace tapir::probes
