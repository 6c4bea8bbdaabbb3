// SPDX-License-Identifier: GPL-2.0-or-later
// Events of processes: process.begin, .end, .thread.begin, .thread.end, .syscall and .syscall.return, each also of
// process("path") and process(PID). And their state: .snapshot and .thread.snapshot.
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "probes/program_point.h"
#include "target/process_root.h"
#include "target/process_scope.h"

namespace tapir::probes {

namespace {

struct Event {
    std::string_view text;
    ProcessEvent event;
};

constexpr Event kEvents[] = {
    {"begin", ProcessEvent::Begin},
    {"end", ProcessEvent::End},
    {"thread.begin", ProcessEvent::ThreadBegin},
    {"thread.end", ProcessEvent::ThreadEnd},
    {"syscall", ProcessEvent::Syscall},
    {"syscall.return", ProcessEvent::SyscallReturn},
    {"snapshot", ProcessEvent::Snapshot},
    {"thread.snapshot", ProcessEvent::ThreadSnapshot},
};
constexpr std::string_view kPrograms[] = {"process.", "process(string).", "process(number)."};
constexpr size_t kEventCount = std::size(kEvents);
constexpr std::string_view kLibrary = "a library has no life of its own; leave .library() out";
constexpr std::string_view kSteps =
    "the kernel has no way to step through a program that others can bear; .statement() probes places, and "
    "perf.hw.instructions and perf.hw.branch_instructions count";

// Every way to name a process, followed by each event; then those that are refused.
class ProcessForms {
  public:
    ProcessForms() {
        for (std::string_view program : kPrograms)
            for (const Event &event : kEvents)
                texts_.push_back(std::string(program) + std::string(event.text));
        const size_t built = texts_.size();
        for (size_t i = 0; i < built; ++i)
            texts_.push_back(std::string(kPrograms[i / kEventCount]) + "library(string)." +
                             std::string(kEvents[i % kEventCount].text));
        const size_t steps = texts_.size();
        for (std::string_view program : kPrograms)
            for (const char *step : {"insn", "insn.block"})
                texts_.push_back(std::string(program) + step);
        for (size_t i = 0; i < texts_.size(); ++i)
            forms_.push_back({texts_[i], i < built ? std::string_view() : i < steps ? kLibrary : kSteps});
    }
    std::span<const Form> list() const { return forms_; }

  private:
    std::vector<std::string> texts_;
    std::vector<Form> forms_;
};

std::span<const Form> process_forms() {
    static const ProcessForms all;
    return all.list();
}

target::SystemCall system_call(ProcessEvent event) {
    if (event == ProcessEvent::Syscall) return target::SystemCall::Entry;
    return event == ProcessEvent::SyscallReturn ? target::SystemCall::Return : target::SystemCall::None;
}

bool is_snapshot(size_t form) {
    const ProcessEvent event = kEvents[form % kEventCount].event;
    return event == ProcessEvent::Snapshot || event == ProcessEvent::ThreadSnapshot;
}

// A process that runs its program already begins, once.
bool stands_still(size_t form) {
    return is_snapshot(form) || kEvents[form % kEventCount].event == ProcessEvent::Begin;
}

// A process that stands still runs one program; what else it has mapped are libraries. False after a report.
bool keep_program(const ast::ProbePoint &point, const ResolveContext &context, std::vector<Processes> &found) {
    std::string why;
    const std::string program = context.debug.subject().program(why);
    if (program.empty() || found.empty()) return true;
    const std::string first = found.front().code.path;
    std::erase_if(found, [&](const Processes &processes) {
        return !processes.code.path.empty() && !target::is_same_file(processes.code.path, program);
    });
    if (!found.empty()) return true;
    const ast::PointComponent &process = point.components[0];
    context.diagnostics.report(Tag::NoSuchProgram, process.arg ? process.arg->at : process.at,
                               first + " is not the program of the process, which runs " + program + "; process." +
                                   std::string(point.components.back().name) +
                                   " looks at it, and @var(\"NAME\", \"FILE\") at variables of libraries");
    return false;
}

// process.snapshot looks at the process of a core or of -x. False after a report.
bool names_target(const ast::ProbePoint &point, const ResolveContext &context) {
    const target::ProgramTarget &target = context.debug.target();
    if (context.debug.subject().stands_still() || target.pid > 0) return true;
    const bool command = !target.program.empty() || !target.missing.empty();
    context.diagnostics.report(
        Tag::ProbeUnsupported, point.components[0].at,
        "cannot probe " + point.str() +
            (command ? ": the command of -c begins after the snapshot; -x PID names a process that runs"
                     : ": of which process? -x PID names one that runs, process(\"PATH\") all that run a program, and "
                       "--core=FILE a core file"));
    return false;
}

void resolve_process(const ast::ProbePoint &point, size_t form, const ResolveContext &context,
                     std::vector<Attach> &out) {
    const bool snapshot = is_snapshot(form);
    if (snapshot && !point.components[0].arg && !names_target(point, context)) return;
    const Event &event = kEvents[form % kEventCount];
    std::vector<Processes> found =
        find_processes(point.components[0], context, snapshot || context.debug.subject().stands_still());
    if (!keep_program(point, context, found)) return;
    for (const Processes &processes : found) {
        Attach attach;
        const target::SystemCall call = system_call(event.event);
        attach.kind = snapshot                           ? Kind::Snapshot
                      : call == target::SystemCall::None ? Kind::Process
                                                         : Kind::ProcessSyscall;
        attach.arg = ProcessChange{event.event, processes.code};
        attach.scope = target::make_process_scope(processes.program, call);
        attach.from_wildcard = processes.from_wildcard;
        attach.point = processes.prefix + std::string(event.text);
        out.push_back(std::move(attach));
    }
}

void write_process(const Attach &attach, Arg &out) {
    static constexpr std::string_view kNames[] = {
        "TAPIR_PROCESS_BEGIN", "TAPIR_PROCESS_END",    "TAPIR_THREAD_BEGIN",     "TAPIR_THREAD_END",
        "TAPIR_SYSCALL",       "TAPIR_SYSCALL_RETURN", "TAPIR_PROCESS_SNAPSHOT", "TAPIR_THREAD_SNAPSHOT"};
    const auto &change = attach.as<ProcessChange>();
    out.type("tapir_process_arg");
    out.constant("event", kNames[static_cast<size_t>(change.event)]);
    out.number("wildcard", int{attach.from_wildcard});
    out.number("optional", int{attach.optional});
    out.program("program", change.user.path);
    out.number("pid", change.user.pid);
}

}  // namespace

const KindOps kProcess = {
    .forms = process_forms(), .resolve = resolve_process, .stands_still = stands_still, .write_arg = write_process};
const KindOps kProcessSyscall = {.write_arg = write_process};
const KindOps kSnapshot = {.write_arg = write_process};

}  // namespace tapir::probes
