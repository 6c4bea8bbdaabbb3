// SPDX-License-Identifier: GPL-2.0-or-later
#include "conclude.h"

#include <cstring>

#include "capture/picture_files.h"
#include "common/exit_status.h"
#include "common/plain_text.h"
#include "timing.h"

namespace tapir::staprun {

namespace {

using ull = unsigned long long;

// A table for people, where it goes to their terminal; else as SystemTap has it.
std::string timing_text(const Ledger &ledger, const std::vector<tapir_ioc_lock> &locks, uint64_t running_ns,
                        int terminal) {
    tapir_screen screen = {};
    tapir_screen_read(&screen, terminal);
    if (screen.terminal)
        if (std::string table = timing_table(ledger.probes(), locks, running_ns, screen); !table.empty())
            return table + ledger.summary() + "\n" + ledger.overhead() + "\n";
    return timing_report(ledger.probes(), locks);
}

void print_timing(Control &control, const tapir_ioc_hello &hello, const Options &options, const Ledger &ledger,
                  uint64_t running_ns, Output &output, Messages &messages) {
    std::vector<tapir_ioc_lock> locks;
    if (int error = collect_locks(control, hello.globals, locks))
        messages.error(format("cannot read lock contention from the module: %s", strerror(error)));
    // The ledger has the same as a record.
    if (options.form == TAPIR_FORM_TEXT)
        output.write(0, timing_text(ledger, locks, running_ns, options.compatible ? -1 : output.stdout_descriptor()));
    output.flush();
    for (const std::string &line : ledger.skip_reasons())
        messages.warning(line);
}

}  // namespace

int conclude(Control &control, const tapir_ioc_hello &hello, const Options &options, OutputTotals totals,
             Output &output, Messages &messages, LedgerFile &file, const std::function<void(const Ledger &)> &told) {
    Ledger ledger;
    if (int error = ledger.collect(control, hello)) {
        messages.error(format("cannot read the accounting from the module: %s", strerror(error)));
        return 1;
    }
    const auto count_output = [&] {
        totals.bytes_written = output.bytes_written();
        totals.bytes_lost = output.bytes_lost();
        ledger.set_output(totals);
    };
    count_output();
    if (options.timing) print_timing(control, hello, options, ledger, totals.running_ns, output, messages);
    count_output();

    if (ledger.errors() || ledger.skipped())
        messages.warning(
            format("Number of errors: %llu, skipped probes: %llu", ull{ledger.errors()}, ull{ledger.skipped()}));
    if (ledger.control_records_lost())
        messages.warning(format("too many pending (warning) messages: %llu lost", ull{ledger.control_records_lost()}));
    if (ledger.records_dropped())
        messages.warning(
            format("%llu records of output were lost: the reader was too slow for the buffer (-s makes it larger)",
                   ull{ledger.records_dropped()}));
    for (const std::string &text : {ledger.user_stacks(), ledger.cut(), ledger.recalls()})
        if (!text.empty()) messages.say(text);
    for (const std::string &text : {ledger.stacks_refused(), ledger.samples_lost()})
        if (!text.empty()) messages.warning(text);
    for (const std::string &line : ledger.left_out())
        messages.say(line);
    if (ledger.anything_lost() || !ledger.balanced()) messages.say(ledger.text());
    if (!ledger.balanced()) messages.error("the ledger does not balance; please report this");
    if (told) told(ledger);
    if (const Outcome<void> written = file.write(ledger); !written) messages.error(written.fault().message());

    bool errors_matter = ledger.errors() && !options.suppress_errors;
    bool bad = messages.seen_error() || errors_matter || ledger.fatal() || ledger.output_lost() || output.failed();
    return bad ? 1 : 0;
}

void say_detached(const std::string &module, Messages &messages) {
    messages.say("Disconnecting from systemtap module.");
    messages.say(format("To reconnect, type \"staprun -A %s\"", module.c_str()));
}

void say_command_failed(const std::string &how, Messages &messages) {
    messages.warning((messages.for_people() ? "the command exited " : "Child process exited ") + how);
}

int status_of_failed_command(const Options &options, int status) {
    const bool well = status == 0 || status == capture::kPoorPicture;
    return options.command_status && well ? kCommandFailed : 1;
}

}  // namespace tapir::staprun
