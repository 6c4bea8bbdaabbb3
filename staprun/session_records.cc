// SPDX-License-Identifier: GPL-2.0-or-later
#include "session_records.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>

#include "clocks.h"

namespace tapir::staprun {

namespace {

void put_quality(tapir_json *json, const SessionQuality &quality) {
    tapir_json_member(json, "complete");
    tapir_json_puts(json, quality.complete ? "true" : "false");
    tapir_json_unsigned_member(json, "hits", quality.hits);
    tapir_json_unsigned_member(json, "lost_hits", quality.lost_hits);
    tapir_json_unsigned_member(json, "errors", quality.errors);
    tapir_json_unsigned_member(json, "lost_records", quality.lost_records);
    tapir_json_unsigned_member(json, "cut_texts", quality.cut_texts);
    tapir_json_unsigned_member(json, "lost_events", quality.lost_events);
    tapir_json_unsigned_member(json, "walks", quality.walks);
    tapir_json_unsigned_member(json, "complete_walks", quality.complete_walks);
    tapir_json_unsigned_member(json, "refused_stacks", quality.refused_stacks);
    tapir_json_unsigned_member(json, "lost_samples", quality.lost_samples);
    if (!quality.left_out && !quality.stretched) return;
    tapir_json_unsigned_member(json, "left_out", quality.left_out);
    if (quality.stretched) tapir_json_unsigned_member(json, "stretched", quality.stretched);
    tapir_json_member(json, "estimated");
    tapir_json_puts(json, quality.estimated ? "true" : "false");
}

}  // namespace

RecordLines::Members meta_members(const tapir_ioc_hello &hello, const Options &options) {
    utsname system = {};
    uname(&system);
    return [hello, system, clocks = read_clocks(), command = options.command_line, target = options.target,
            attached = options.action == Action::Attach](tapir_json *json) {
        tapir_json_text_member(json, "tapir", TAPIR_VERSION);
        tapir_json_text_member(json, "module", hello.name);
        tapir_json_text_member(json, "command", command.c_str());
        tapir_json_text_member(json, "kernel", system.release);
        tapir_json_text_member(json, "machine", system.machine);
        tapir_json_text_member(json, "host", system.nodename);
        tapir_json_unsigned_member(json, "started", clocks.realtime);
        tapir_json_unsigned_member(json, "probes", hello.probes);
        tapir_json_number_member(json, "staprun", getpid());
        if (target) tapir_json_number_member(json, "pid", target);
        if (attached) {
            tapir_json_member(json, "attached");
            tapir_json_puts(json, "true");
        }
        put_clocks(json, clocks);
    };
}

static void add_refresh(ModuleStream &session, Control &control, const tapir_ioc_hello &hello, Monitor *monitor) {
    Ledger ledger;
    const bool is_known = ledger.collect(control, hello) == 0;
    if (monitor && is_known)
        monitor->tell(ledger.probes(), [&session](auto... record) { session.add_record(record...); });
    uint64_t overhead = 0;
    for (const tapir_ioc_probe &probe : ledger.probes())
        overhead += overhead_of(probe).ns();
    const uint64_t hits = ledger.quality().hits, arrays = monitor ? monitor->array_bytes() : 0;
    session.add_record("refresh", [&](tapir_json *json) {
        if (!is_known) return;
        tapir_json_unsigned_member(json, "hits", hits);
        // Records that wait in the buffers are not lost.
        tapir_json_unsigned_member(json, "lost_hits", ledger.skipped());
        tapir_json_unsigned_member(json, "errors", ledger.errors());
        tapir_json_unsigned_member(json, "lost_records", ledger.records_dropped());
        tapir_json_unsigned_member(json, "overhead_ns", overhead);
        if (!monitor) return;
        if (monitor->module_bytes()) tapir_json_unsigned_member(json, "module_bytes", monitor->module_bytes());
        tapir_json_unsigned_member(json, "array_bytes", arrays);
    });
}

ModuleStream::Refresh refresh_of(uint64_t interval_ns, Control &control, const tapir_ioc_hello &hello,
                                 Messages &messages) {
    std::shared_ptr<Monitor> monitor;
    if (Monitor::serves(hello)) monitor = std::make_shared<Monitor>(control, hello, messages);
    const auto tell = [&control, &hello, monitor](ModuleStream &session) {
        add_refresh(session, control, hello, monitor.get());
    };
    return {interval_ns, tell, monitor};
}

void add_accounts(ModuleStream &session, const Ledger &ledger) {
    std::string text = ledger.json();
    std::erase(text, '\n');
    session.add_record("ledger", [&text](tapir_json *json) {
        tapir_json_member(json, "ledger");
        tapir_json_puts(json, text.c_str());
    });
    session.add_record("quality", [quality = ledger.quality()](tapir_json *json) { put_quality(json, quality); });
}

int end_records(ModuleStream &session, bool detached, int status, Output &output) {
    session.add_record("end", [detached, status, clocks = read_clocks()](tapir_json *json) {
        if (detached) {
            tapir_json_member(json, "detached");
            tapir_json_puts(json, "true");
        }
        tapir_json_number_member(json, "status", status);
        put_clocks(json, clocks);
    });
    output.flush();
    return output.failed() ? 1 : status;
}

void divert_commands(const Options &options, TargetCommand &target, ShellCommands &shell) {
    if (options.form == TAPIR_FORM_TEXT || !options.output_file.empty()) return;
    target.set_output(Stream::descriptor(STDERR_FILENO));
    shell.set_output(Stream::descriptor(STDERR_FILENO));
}

RecordedMessages::RecordedMessages(Messages &messages, ModuleStream &session) : messages_(messages) {
    messages_.set_listener([&session](const char *type, std::string_view text) { session.add_message(type, text); });
}

}  // namespace tapir::staprun
