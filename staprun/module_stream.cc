// SPDX-License-Identifier: GPL-2.0-or-later
#include "module_stream.h"

#include <algorithm>
#include <cstring>

#include "common/plain_text.h"
#include "way_out.h"

namespace tapir::staprun {

namespace {

constexpr int kFlowingMs = 10;    // while there is output
constexpr int kIdleMs = 50;       // the longest a line waits in a buffer
constexpr int kSilentMs = 60000;  // while the module tells of the next record
constexpr int kCalmMs = 5;        // pause after the control file was readable without a record
constexpr uint64_t kMillisecond = 1000000;
constexpr uint64_t kPatience = 2000 * kMillisecond;  // with a reader that takes nothing, after the second signal
constexpr int kProgramsMs = 1000;                    // between two looks at the files of programs
constexpr int kLossesMs = 1000;                      // and at what was lost

}  // namespace

ModuleStream::ModuleStream(const Parts &parts, unsigned cpus, uint64_t run_ns, std::function<void()> on_running,
                           int read_ms)
    : parts_(parts),
      merger_(parts.control, cpus),
      items_(
          parts.control, [this] { return parts_.tables && parts_.tables->serve(); },
          [this] { return parts_.output.stdout_descriptor(); }),
      losses_(cpus),
      run_ns_(run_ns),
      flowing_ms_(read_ms ? read_ms : kFlowingMs),
      most_idle_ms_(read_ms ? read_ms : kIdleMs),
      on_running_(std::move(on_running)),
      idle_ms_(flowing_ms_) {
    if (parts.compatible) items_.print_plainly();
    if (parts.rows) {
        parts.rows->declare(items_.tables(parts.formats));
        items_.watch([this](const Item &item) { parts_.rows->take(item); });
    }
    if (parts.form != TAPIR_FORM_TEXT) records_ = std::make_unique<RecordLines>(items_, parts.form, parts.formats);
}

void ModuleStream::request_stop() {
    if (stopping_) return;
    stopping_ = true;
    stop_error_ = parts_.control.stop();
}

void ModuleStream::take(const Event &event) {
    stops_ += event.stops;
    if (event.stops) request_stop();
    // A second request also interrupts a long end probe.
    if (event.stops && stops_ > 1) parts_.control.interrupt();
    if (event.detach && parts_.may_detach) detach_wanted_ = true;
    if (event.detach && !parts_.may_detach) request_stop();
    if (event.switch_output) switch_wanted_ = true;
    if (event.reader_gone) reader_gone_ = true;
    if (event.children) {
        parts_.shell.reap();
        parts_.target.reap();
        if (parts_.target.ended()) request_stop();
    }
    check_clock();
}

void ModuleStream::start_clock() {
    if (run_ns_ && !deadline_) deadline_ = parts_.events.now() + run_ns_;
}

void ModuleStream::check_clock() {
    if (deadline_ && parts_.events.now() >= deadline_) request_stop();
}

int ModuleStream::timeout_ms() {
    const int silent_ms = parts_.programs && parts_.programs->any() ? kProgramsMs : kSilentMs;
    uint64_t wait_ms = static_cast<uint64_t>(silent_ ? silent_ms : idle_ms_);
    const uint64_t now = parts_.events.now();
    const auto until = [&](uint64_t time) {
        wait_ms = std::min(wait_ms, time > now ? (time - now + kMillisecond - 1) / kMillisecond : 0);
    };
    if (deadline_ && !stopping_) until(deadline_);
    if (refresh_due_ && !stopped_) until(refresh_due_);
    if (parts_.rows && parts_.rows->due() != UINT64_MAX) until(parts_.rows->due());
    return static_cast<int>(wait_ms);
}

bool ModuleStream::wait_writable(int fd) {
    Events::Watch watch;
    watch.writable = fd;
    uint64_t until = 0;  // 0 = as long as there is a reader
    for (;;) {
        if (stops_ >= kTooManyStops) return false;
        if (stops_ > 1 && !until) until = parts_.events.now() + kPatience;
        if (until && parts_.events.now() >= until) return false;
        Event event = parts_.events.wait(watch, kIdleMs);
        take(event);
        if (event.writable) return true;
    }
}

void ModuleStream::note_state(uint32_t state) {
    if (state > TAPIR_STATE_RUNNING && running_seen_ && !stopped_) stopped_ = parts_.events.now();
    if (state != TAPIR_STATE_RUNNING || running_seen_) return;
    running_seen_ = true;
    started_ = parts_.events.now();
    start_clock();
    if (on_running_) on_running_();
    if (parts_.input) parts_.input->begin();
    parts_.target.release(!input_wanted());
}

// The session's own records stand behind those up to the last snapshot, and before those of the next one.
tapir_stamp ModuleStream::stamp() {
    return ended_ ? tapir_stamp{std::max<uint64_t>(parts_.events.now(), last_.time), -1} : last_;
}

// The first record says what runs. None is older.
void ModuleStream::begin_records(uint64_t time) {
    if (records_begun_ || parts_.form != TAPIR_FORM_JSON) return;
    records_begun_ = true;
    parts_.output.write(0, records_->other(
                               {time, -1}, "meta", parts_.meta ? parts_.meta : [](tapir_json *) {}));
}

void ModuleStream::add_message(const char *type, std::string_view text) {
    if (parts_.form != TAPIR_FORM_JSON) return;
    begin_records(stamp().time);
    parts_.output.write(0, records_->message(stamp(), type, text));
}

void ModuleStream::add_record(const char *type, const RecordLines::Members &members) {
    if (parts_.form != TAPIR_FORM_JSON) return;
    begin_records(stamp().time);
    parts_.output.write(0, records_->other(stamp(), type, members));
}

// Once a second, and at the end.
void ModuleStream::check_losses(bool last) {
    const uint64_t now = parts_.events.now();
    if (parts_.form != TAPIR_FORM_JSON || (!last && now - losses_seen_ < kLossesMs * kMillisecond)) return;
    losses_seen_ = now;
    for (const Loss &loss : losses_.since_last(parts_.control))
        add_record("loss", [&loss](tapir_json *json) {
            tapir_json_text_member(json, "what", loss.what);
            tapir_json_unsigned_member(json, "count", loss.count);
        });
}

// From when probes are armed.
void ModuleStream::check_refresh() {
    const uint64_t interval = parts_.refresh.interval_ns, now = parts_.events.now();
    if (!interval || !running_seen_ || stopped_ || now < refresh_due_) return;
    refresh_due_ = now + interval;
    check_losses(true);
    parts_.refresh.tell(*this);
    parts_.output.flush();
}

// The accounting, and then the values, which handlers tell. The end of the session tells them, too.
void ModuleStream::check_metrics() {
    if (!metrics_wanted_ || !running_seen_ || stopped_) return;
    metrics_wanted_ = false;
    if (parts_.refresh.tell) parts_.refresh.tell(*this);
    const size_t count = parts_.metrics ? parts_.metrics->count() : 0;
    add_record("metrics", [count](tapir_json *json) { tapir_json_unsigned_member(json, "count", count); });
    parts_.output.flush();
    const int error = count ? parts_.metrics->ask() : 0;
    if (!count)
        parts_.messages.warning("'metrics' needs a script with @metric that runs with --metrics");
    else if (error && error != EBUSY)
        parts_.messages.warning(format("the metrics are not told: %s", why_not_set(error).c_str()));
}

// NAME=VALUE of an option that may change.
void ModuleStream::set_global(const std::string &assignment) {
    const size_t equals = std::min(assignment.find('='), assignment.size());
    const std::string name = assignment.substr(0, equals);
    const std::string value = assignment.substr(std::min(equals + 1, assignment.size()));
    const int error = equals < assignment.size() ? parts_.control.set_global(name, value) : ENOENT;
    if (error) {
        parts_.messages.warning(format("'%s' is not set: %s", assignment.c_str(), why_not_set(error).c_str()));
        return;
    }
    add_record("set", [&](tapir_json *json) {
        tapir_json_text_member(json, "name", name.c_str());
        tapir_json_text_member(json, "value", value.c_str());
    });
}

static void ask_monitor(ModuleStream &session, const ModuleStream::Parts &parts, const std::string &command) {
    if (parts.refresh.monitor)
        parts.refresh.monitor->obey(command, [&session](auto... record) { session.add_record(record...); });
    else
        parts.messages.warning(format("'%s' needs a script that runs with --monitor", command.c_str()));
}

void ModuleStream::obey() {
    for (const std::string &command : parts_.commands->take()) {
        const bool stop = command == "stop";
        // Control-C comes as a signal, too: that is one wish.
        if (stop && asked_stops_++)
            parts_.control.interrupt();
        else if (stop)
            request_stop();
        else if (command.starts_with("set "))
            set_global(command.substr(4));
        else if (command == "metrics")
            metrics_wanted_ = true;
        else if (Monitor::knows(command))
            ask_monitor(*this, parts_, command);
        else
            parts_.messages.warning(format("there is no command '%s'", command.c_str()));
    }
}

void ModuleStream::write_printed(const Record &record) {
    if (records_) {
        parts_.output.write(record.cpu, records_->printed(record));
        if (records_->left_out())
            parts_.messages.warning(
                "--format=csv writes rows of tables (@table) alone; what the script prints otherwise is left out");
        return;
    }
    const bool text = record.type == TAPIR_REC_DATA;
    if (text) write_rest(false);
    parts_.output.write(record.cpu, text ? record.payload : items_.text(record.payload));
}

void ModuleStream::write_rest(bool all) {
    if (records_) return;
    if (const std::string_view rest = items_.rest(all); !rest.empty()) parts_.output.write(0, rest);
}

bool ModuleStream::deliver(const Record &record) {
    begin_records(record.time);
    last_ = tapir_stamp{record.time, record.cpu};
    if (parts_.rows) parts_.rows->begin(record);
    if (record.type == TAPIR_REC_DATA || record.type == TAPIR_REC_PRINT) {
        write_printed(record);
        return stops_ < kTooManyStops;
    }
    // Earlier output appears before this message, as far as staprun can tell.
    write_rest(false);
    parts_.output.flush();
    if (record.type == TAPIR_REC_ERROR) {
        parts_.messages.error(record.payload);
        parts_.messages.help(advice_for(record.payload));
    } else if (record.type == TAPIR_REC_WARNING) {
        parts_.messages.warning(record.payload);
    } else if (record.type == TAPIR_REC_SYSTEM) {
        const Outcome<void> started = parts_.shell.run(std::string(record.payload), !input_wanted());
        if (!started) parts_.messages.error(started.fault().message());
    }
    return stops_ < kTooManyStops;
}

void ModuleStream::check_output() {
    if (switch_wanted_) {
        switch_wanted_ = false;
        if (!parts_.output.switch_files())
            parts_.messages.warning("SIGUSR2 is ignored: output goes to stdout, not to a file");
    }
    if (reader_gone_ && !parts_.output.failed()) parts_.output.set_reader_gone();
    if (parts_.output.failed() && !output_failure_said_) {
        output_failure_said_ = true;
        if (parts_.output.reader_gone()) {
            parts_.messages.warning("the reader of stdout has gone; stopping");
        } else if (stops_ < kTooManyStops) {
            parts_.messages.error(parts_.output.failure());
        }
        request_stop();
    }
    if ((merger_.bytes_damaged() || items_.bytes_damaged()) && !damage_said_) {
        damage_said_ = true;
        parts_.messages.error("the module sent damaged records; output is incomplete");
    }
}

// Once a second, and at the end.
void ModuleStream::check_programs(bool last) {
    const uint64_t now = parts_.events.now();
    if (!parts_.programs || (!last && now - programs_seen_ < kProgramsMs * kMillisecond)) return;
    programs_seen_ = now;
    for (const std::string &change : parts_.programs->changes())
        parts_.messages.warning(change);
}

ModuleStream::End ModuleStream::broken(const char *what, int error) {
    parts_.messages.error(format("the module does not %s: %s", what, strerror(error)));
    return End::Broken;
}

ModuleStream::End ModuleStream::detach() {
    parts_.output.flush();
    if (int error = parts_.control.detach()) return broken("let go", error);
    parts_.target.forget();
    return End::Detached;
}

ModuleStream::End ModuleStream::run() {
    bool calm = false;  // leave the control file alone for a moment
    bool done_seen = false;
    uint32_t state = TAPIR_STATE_LOADED;
    if (parts_.has_snapshots) start_clock();
    for (;;) {
        if (!done_seen) {
            Events::Watch watch;
            watch.control = calm ? -1 : parts_.control.descriptor();
            watch.reader = stopping_ || parts_.output.failed() ? -1 : parts_.output.stdout_descriptor();
            watch.input = stopping_ || !input_wanted() ? -1 : parts_.input->descriptor();
            watch.commands = !parts_.commands ? -1 : parts_.commands->descriptor();
            Event event = parts_.events.wait(watch, calm ? kCalmMs : timeout_ms());
            calm = false;
            take(event);
            if (event.input) parts_.input->take();
            if (event.commands) obey();
            if (stops_ >= kTooManyStops) return End::Abandoned;
            if (detach_wanted_ && !stopping_) return detach();
            calm = event.control;  // unless there turns out to be something
        }
        const bool waits = idle_ms_ == most_idle_ms_;
        Merger::Round round = merger_.round([this](const Record &record) { return deliver(record); }, waits);
        parts_.output.flush();
        if (round.abandoned || stops_ >= kTooManyStops) return End::Abandoned;
        if (round.error) return broken("deliver its output", round.error);
        last_ = tapir_stamp{std::max<uint64_t>(last_.time, round.time), -1};
        begin_records(last_.time);
        check_losses(round.state == TAPIR_STATE_DONE);
        const bool tables_made = parts_.tables && parts_.tables->serve();
        note_state(round.state);
        check_clock();
        check_refresh();
        check_metrics();
        check_output();
        check_programs(round.state == TAPIR_STATE_DONE);
        if (parts_.rows) parts_.rows->flush(parts_.events.now());
        if (stop_error_) return broken("stop", stop_error_);
        if (round.state == TAPIR_STATE_DONE) {
            // Records of the last handlers may have come after the first such snapshot looked at their stream.
            if (done_seen && round.delivered == 0) {
                write_rest(true);
                ended_ = true;
                return End::Done;
            }
            done_seen = true;
        }
        if (round.delivered || round.state != state || tables_made) calm = false;
        silent_ = waits && !round.delivered && round.complete;
        idle_ms_ = round.delivered ? flowing_ms_ : std::min(idle_ms_ * 2, most_idle_ms_);
        state = round.state;
    }
}

ModuleStream::End ModuleStream::run_until_armed() {
    for (;;) {
        tapir_ioc_status status = {};
        if (int error = parts_.control.status(status)) return broken("answer", error);
        if (status.state == TAPIR_STATE_RUNNING) return detach();
        if (status.state > TAPIR_STATE_RUNNING || stopping_) return run();
        // Snapshots, which come before the probes are on, wait for them.
        const bool served = parts_.tables && parts_.tables->serve();
        take(parts_.events.wait({}, served ? 0 : kFlowingMs));
        if (stops_ >= kTooManyStops) return End::Abandoned;
    }
}

}  // namespace tapir::staprun
