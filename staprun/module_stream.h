// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time between START and DONE: waits, moves records from the module to where they go, and ends the session when a
 * signal, the target command, the clock or a failing output says so. Knows nothing of files and ioctls: see Control,
 * Events and Output.
 */
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "asked_commands.h"
#include "events.h"
#include "item_texts.h"
#include "loss_watch.h"
#include "merge.h"
#include "messages.h"
#include "metric_wishes.h"
#include "module_control.h"
#include "monitor.h"
#include "output.h"
#include "probed_programs.h"
#include "record_lines.h"
#include "recorded_rows.h"
#include "standard_input.h"
#include "target_command.h"
#include "user_tables.h"

namespace tapir::staprun {

class ModuleStream {
  public:
    // Records that are told again and again while probes are armed, for JSON.
    struct Refresh {
        uint64_t interval_ns = 0;                       // 0: nothing is
        std::function<void(ModuleStream &)> tell = {};  // adds the records
        std::shared_ptr<Monitor> monitor = {};          // null: the module was not translated for it
    };
    struct Parts {
        Control &control;
        Events &events;
        Output &output;
        Messages &messages;
        TargetCommand &target;
        ShellCommands &shell;
        UserTables *tables = nullptr;  // if the module takes any
        Programs *programs = nullptr;  // whose files are watched
        Input *input = nullptr;        // what the script may read
        bool may_detach = true;        // else SIGQUIT ends the session
        bool has_snapshots = false;    // which are looked at before probes are armed
        bool compatible = false;       // output is SystemTap's on a terminal, too
        tapir_form form = TAPIR_FORM_TEXT;
        unsigned formats = 0;            // that the module has
        RecordLines::Members meta = {};  // members of the record that says what runs; for JSON
        Refresh refresh = {};
        Commands *commands = nullptr;     // what another program may ask for
        RecordedRows *rows = nullptr;     // keep the rows of tables
        MetricWishes *metrics = nullptr;  // which another program may ask for
    };
    enum class End : uint8_t {
        Done,       // all handlers have run and everything was read
        Detached,   // the module goes on without a reader
        Abandoned,  // too many signals
        Broken,     // the module does not answer; reported
    };

    // `run_ns`: how long probes may run, 0 = without limit. The time counts from when they are armed, or with snapshots
    // from the start. Calls `on_running` once, when probes are armed. `read_ms`: how long output may wait in buffers
    // that are not filling up, 0 = a time too short to notice.
    ModuleStream(const Parts &parts, unsigned cpus, uint64_t run_ns, std::function<void()> on_running, int read_ms = 0);

    // Until the end.
    End run();
    // Until the probes are armed, then detaches. A session that ends before is read to its end.
    End run_until_armed();

    // Waits until `fd` can be written to, taking care of signals meanwhile: as long as it has a reader, but not much
    // longer than until the second signal. False: give up.
    bool wait_writable(int fd);

    // Adds a record to the output if that is JSON. A message of the session is one, and what is told at its end.
    void add_message(const char *type, std::string_view text);
    void add_record(const char *type, const RecordLines::Members &members);

    const Merger &merger() const { return merger_; }
    // From when probes were armed to when they were no more, as far as this program saw it; 0: it did not.
    uint64_t running_ns() const { return stopped_ > started_ ? stopped_ - started_ : 0; }

  private:
    void take(const Event &event);
    void request_stop();
    void check_clock();
    void start_clock();
    bool input_wanted() const { return parts_.input && parts_.input->wanted(); }
    void note_state(uint32_t state);
    void check_output();
    void check_programs(bool last);
    bool deliver(const Record &record);
    void write_printed(const Record &record);
    void begin_records(uint64_t time);
    void check_losses(bool last);
    void check_refresh();
    void check_metrics();
    void obey();
    void set_global(const std::string &assignment);
    tapir_stamp stamp();
    void write_rest(bool all);  // tables that wait for more
    int timeout_ms();
    End detach();
    End broken(const char *what, int error);

    Parts parts_;
    Merger merger_;
    ItemTexts items_;
    std::unique_ptr<RecordLines> records_;  // null: the output is text
    LossWatch losses_;
    uint64_t run_ns_;
    int flowing_ms_, most_idle_ms_;  // time between two looks at the buffers: while there is output, and else
    std::function<void()> on_running_;

    uint64_t deadline_ = 0;  // 0 = none yet
    uint64_t started_ = 0;   // when the session was first seen running, and when no more
    uint64_t stopped_ = 0;
    uint64_t programs_seen_ = 0;                 // when check_programs() looked
    uint64_t losses_seen_ = 0;                   // when check_losses() did
    bool metrics_wanted_ = false;                // they were asked for, perhaps before probes were armed
    uint64_t refresh_due_ = 0;                   // when check_refresh() is to add a record
    tapir_stamp last_ = {.time = 0, .cpu = -1};  // of the record that is being delivered, or the last snapshot
    unsigned stops_ = 0;                         // signals
    unsigned asked_stops_ = 0;                   // commands
    int stop_error_ = 0;
    int idle_ms_;
    bool records_begun_ = false;
    bool ended_ = false;   // no further record comes
    bool silent_ = false;  // nothing to look at until the module says so
    bool stopping_ = false;
    bool running_seen_ = false;
    bool detach_wanted_ = false;
    bool switch_wanted_ = false;
    bool reader_gone_ = false;
    bool output_failure_said_ = false;
    bool damage_said_ = false;
};

// Signals until staprun leaves at once.
constexpr unsigned kTooManyStops = 3;

}  // namespace tapir::staprun
