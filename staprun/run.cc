// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>

#include "admission.h"
#include "audit.h"
#include "budget_file.h"
#include "capture/picture_files.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "common/regular_file.h"
#include "conclude.h"
#include "control_group.h"
#include "daemon.h"
#include "kernel_functions.h"
#include "kernel_names.h"
#include "loaded_module.h"
#include "loader.h"
#include "local_time.h"
#include "module/module_file.h"
#include "module_control.h"
#include "module_stream.h"
#include "objects.h"
#include "privileges.h"
#include "probed_programs.h"
#include "recorded_rows.h"
#include "recording.h"
#include "refusal.h"
#include "sample_records.h"
#include "session_picture.h"
#include "session_records.h"
#include "standard_input.h"
#include "symbol_addresses.h"
#include "target_command.h"
#include "user_tables.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMaxModuleBytes = 256u << 20;
// Unwind tables, for root alone.
constexpr char kTableCache[] = "/var/cache/tapir/unwind";
constexpr unsigned kNameAttempts = 10;
constexpr unsigned kCommandPatienceMs = 2000;
// For tables of all processes before the start; the others are made while the script runs.
constexpr unsigned kTablesPatienceMs = 500;
constexpr uint64_t kDelayStepMs = 100;
// The module finds a few symbols faster by itself than a pass over the whole table takes.
constexpr uint32_t kFewSymbols = 4;

class Run {
  public:
    Run(const Options &options, const Caller &caller, Events &events, Messages &messages, WaitWritable &wait)
        : options_(options),
          caller_(caller),
          events_(events),
          messages_(messages),
          wait_(wait),
          module_(messages),
          output_({options.output_file, options.bulk, options.rotate_bytes, options.rotate_files},
                  [this](int fd) { return wait_(fd); }) {}

    int go();

  private:
    bool attaching() const { return options_.action == Action::Attach; }
    Outcome<void> prepare();
    Outcome<void> read_module();
    Outcome<void> admit_module(const Source &source);
    Fault refuse(const Fault &refusal, const std::string &text);
    Fault refuse(const Fault &refusal) { return refuse(refusal, refusal.message()); }
    Fault refuse_module(const Fault &refusal);
    void audit(const char *event, const char *decision);
    bool insert(std::vector<std::string> &log, int &error);
    Outcome<void> load();
    Outcome<void> set_up();
    Outcome<void> connect();
    Fault explain_no_control(const Fault &fault);
    Outcome<void> configure();
    Outcome<void> hand_over();
    Outcome<void> set_globals();
    Outcome<void> begin();
    Outcome<void> delay();
    int play();
    int finish(ModuleStream::End end, ModuleStream &session);
    Outcome<void> open_recording();
    int record(const char *how, int status, ModuleStream &session);
    void give_up_recording();
    void await_commands();

    const Options &options_;
    const Caller &caller_;
    Events &events_;
    Messages &messages_;
    WaitWritable &wait_;
    LoadedModule module_;  // before control_: the control file is closed first
    std::unique_ptr<Control> control_;
    std::unique_ptr<UserTables> tables_;  // if the module takes any
    Programs programs_;
    Output output_;
    LedgerFile ledger_file_;
    Recording recording_;
    RecordedRows rows_{recording_};
    std::string report_;   // the program that makes a picture of it
    std::string picture_;  // its file; "": a summary on standard output
    TargetCommand target_;
    ShellCommands shell_;
    Daemon daemon_;
    machine::Facts facts_;
    ModuleFile file_;
    std::string path_;
    std::string name_;
    tapir_ioc_hello hello_ = {};
    AuditRecord record_;
    bool audited_ = false;  // true if the system's log records this session
    bool began_ = false;    // the log has an "allowed" that needs an "end"
};

// Everything that can fail without the kernel noticing.
Outcome<void> Run::prepare() {
    {
        const Right right(Need::Modules);  // which is one of the facts
        facts_ = machine::read_facts();
    }
    record_.caller = caller_;
    record_.kernel = facts_.release;
    record_.module = options_.module;
    audited_ = caller_.restricted();
    divert_commands(options_, target_, shell_);
    if (Outcome<void> target = check_target(caller_, options_); !target) return refuse(target.fault());
    if (options_.has_command)
        if (Outcome<void> command = check_command(options_.command); !command) return refuse(command.fault());
    if (!attaching())
        if (Outcome<void> module = read_module(); !module) return module;
    if (Outcome<void> opened = open_recording(); !opened) return refuse(opened.fault());
    if (Outcome<void> opened = output_.open(); !opened) return refuse(opened.fault());
    if (!options_.ledger_file.empty())
        if (Outcome<void> opened = ledger_file_.open(options_.ledger_file); !opened) return refuse(opened.fault());
    if (options_.daemon)
        if (Outcome<void> begun = daemon_.begin(); !begun) return refuse(begun.fault());
    return {};
}

Outcome<void> Run::read_module() {
    path_ = find_module_path(options_.module, facts_.release);
    Source source;
    if (caller_.restricted()) {
        source = read_source(path_, kMaxModuleBytes, approved_directories(facts_.release), {});
    } else if (int error = read_file(path_.c_str(), kMaxModuleBytes, source.image)) {
        source.readable = Fault{FaultTag::ModuleUnreadable, file_error(error)};
    }
    if (!source.readable) {
        const Fault &fault = source.readable.fault();
        return refuse(fault, format("Couldn't read module '%s': %s", path_.c_str(), fault.message().c_str()));
    }
    if (Outcome<void> parsed = file_.parse(std::move(source.image)); !parsed) return refuse_module(parsed.fault());
    record_.module = file_.name();
    if (caller_.restricted()) return admit_module(source);
    audited_ = access((path_ + ".sig").c_str(), F_OK) == 0;
    if (audited_) {
        record_.sha256 = trust::sha256(file_.image());
        record_.tag = "root";
    }
    return {};
}

// From here on only what is in memory counts.
Outcome<void> Run::admit_module(const Source &source) {
    trust::initialise_unconfigured();
    const trust::Subject subject = {file_.image(), file_.name(), facts_.release, facts_.build, facts_.arch, TAPIR_ABI};
    record_.sha256 = trust::sha256(file_.image());
    const Admission admission = admit(caller_, source, file_, subject, {}, time(nullptr));
    record_.signer = admission.verdict.signer;
    record_.fingerprint = admission.verdict.fingerprint;
    record_.signature = admission.verdict.manifest.id;
    if (!admission.outcome) return refuse_module(admission.outcome.fault());
    record_.tag = admission.tag;
    return {};
}

void Run::audit(const char *event, const char *decision) {
    record_.event = event;
    record_.decision = decision;
    if (audited_) write_audit(record_);
}

// The log has the refusal itself, the user `text`.
Fault Run::refuse(const Fault &refusal, const std::string &text) {
    record_.tag = tag_word(refusal.tag);
    record_.reason = refusal.message();
    audit(event_of(options_.action), "refused");
    return {refusal.tag, text};
}

Fault Run::refuse_module(const Fault &refusal) {
    return refuse(refusal, format("Couldn't insert module '%s': %s", path_.c_str(), refusal.message().c_str()));
}

// Inserts the module under the first free name. The log entry comes before the call to the kernel: a user who kills
// staprun in between cannot run a module without an entry.
bool Run::insert(std::vector<std::string> &log, int &error) {
    const std::string base = file_.name();
    for (unsigned attempt = 0; attempt < kNameAttempts; attempt++) {
        if (options_.rename) {
            uint64_t number = static_cast<uint64_t>(getpid()) + attempt * uint64_t{10000000};
            if (!file_.rename(unique_module_name(base, number)))
                messages_.chat(1, format("module '%s' is signed and keeps its name", base.c_str()));
        }
        record_.module = file_.name();
        audit("insert", "allowed");
        // A path would be opened again, and might be another file by then than the one in the log.
        error = insert_module(file_, audited_ ? "" : path_, log);
        if (!error) return true;
        AuditRecord failure = record_;
        failure.decision = "failed";
        failure.tag = tag_word(FaultTag::KernelRefusal);
        failure.reason = strerror(error);
        if (audited_) write_audit(failure);
        if (error != EEXIST || !file_.renamed()) break;
    }
    return false;
}

Outcome<void> Run::load() {
    if (Outcome<void> foreseen = foresee_refusal(file_, facts_); !foreseen) return refuse_module(foreseen.fault());
    // While it is loaded, the kernel cannot load its own module of that name. None of its modules has a unique name.
    const bool keeps_name = !options_.rename || file_.is_signed();
    if (caller_.restricted() && keeps_name && is_kernel_module("/lib/modules/" + facts_.release, file_.name())) {
        const std::string text =
            format("a module of the kernel has the name '%s'; give the script another one (stap -m NAME), or use -R",
                   file_.name().c_str());
        return refuse_module({FaultTag::KernelName, text});
    }
    int error = 0;
    std::vector<std::string> log;
    if (!insert(log, error)) {
        const std::vector<std::string> modules = list_tapir_modules();
        const bool ours = std::find(modules.begin(), modules.end(), file_.name()) != modules.end();
        return explain_insert_error(error, path_, file_, facts_, log, ours);
    }
    name_ = file_.name();
    module_.own(name_);
    began_ = true;
    messages_.chat(1, format("inserted module '%s' from '%s'", name_.c_str(), path_.c_str()));
    return {};
}

Fault Run::explain_no_control(const Fault &fault) {
    if (fault.tag == FaultTag::NotOwn) {
        module_.leave();  // ours is gone if it was ever there
        const std::string text = format("module '%s' is another user's", name_.c_str());
        return attaching() ? refuse({fault.tag, "another user's session"}, text) : Fault{fault.tag, text};
    }
    if (!attaching()) return fault;
    switch (fault.tag) {
        case FaultTag::NotLoaded:
            return refuse(
                {fault.tag, format("module '%s' is not loaded, or not a module made by Tapir", name_.c_str())});
        case FaultTag::SessionBusy:
            return refuse({fault.tag, format("another staprun is attached to module '%s'", name_.c_str())});
        default:
            return refuse({FaultTag::ModuleUnreadable, fault.text});
    }
}

Outcome<void> Run::connect() {
    Outcome<std::unique_ptr<Control>> opened = open_control(name_, caller_);
    if (!opened) return explain_no_control(opened.fault());
    control_ = std::move(*opened);
    if (attaching()) {
        began_ = true;
        audit("attach", "allowed");
    }
    const int error = control_->hello(hello_);
    // The ioctl's number contains the structure's size, so another ABI may not even know it.
    if (error == ENOTTY || (!error && hello_.abi != TAPIR_ABI))
        return Fault{FaultTag::ControlFailed,
                     format("module '%s' speaks another version of the control interface than this staprun (%u)",
                            name_.c_str(), TAPIR_ABI)};
    if (error)
        return Fault{FaultTag::ControlFailed,
                     format("module '%s' does not answer: %s", name_.c_str(), strerror(error))};
    if (hello_.flags & TAPIR_HELLO_USER_STACKS)
        tables_ = std::make_unique<UserTables>(*control_, (hello_.flags & TAPIR_HELLO_USER_LINES) != 0,
                                               options_.mangled, caller_.restricted() ? "" : kTableCache);
    if (const int failed = tables_ ? tables_->learn_interpreters(hello_.interpreters) : 0)
        return Fault{FaultTag::ControlFailed,
                     format("module '%s' does not tell its interpreters: %s", name_.c_str(), strerror(failed))};
    if (tables_ && recording_.is_open()) tables_->keep();
    if (attaching() && hello_.state == TAPIR_STATE_LOADED)
        return Fault{FaultTag::ControlFailed, format("module '%s' was never started", name_.c_str()),
                     format("'staprun -d %s' removes it", name_.c_str())};
    return {};
}

Outcome<void> Run::set_globals() {
    // A script without globals to display has no such number.
    if (options_.refresh_ns) control_->set_global("__refresh_ms", std::to_string(options_.refresh_ns / 1000000));
    for (const NamedValue &global : options_.globals) {
        int error = control_->set_global(global.name, global.value);
        if (!error) continue;
        if (error == ENOENT && global.name == "__sample_times")
            return Fault{FaultTag::SettingRefused, "--times has no effect: the script takes no samples (@sample)"};
        if (error == ENOENT && (global.name == "__trigger_most" || global.name == "__trigger_until"))
            return Fault{FaultTag::SettingRefused,
                         std::string(global.name == "__trigger_most" ? "--max-events" : "--until") +
                             " has no effect: the script has no triggers (@trigger)"};
        return Fault{FaultTag::SettingRefused, format("Couldn't set '%s' to '%s': %s", global.name.c_str(),
                                                      global.value.c_str(), why_not_set(error).c_str())};
    }
    return {};
}

Outcome<void> Run::configure() {
    setenv("SYSTEMTAP_MODULE", name_.c_str(), 1);
    tapir_ioc_config config = {};
    config.target = options_.target;
    config.namespaces = options_.namespaces;
    if (options_.has_command) {
        // A process with root's rights is not one that this caller could name with -x.
        const bool unprivileged = caller_.restricted() && caller_.standing != Standing::Developer;
        if (Outcome<void> forked = target_.prepare(options_.command, unprivileged); !forked) return forked;
        config.target = target_.pid();
        // With --delay it has done so before the probes are there.
        if (!options_.delay_ns) config.flags |= TAPIR_CONFIG_COMMAND;
    }
    for (unsigned i = 0; i < TAPIR_LIMITS; i++) {
        if (!options_.limits[i]) continue;
        config.limits[i] = *options_.limits[i];
        config.limits_set |= 1u << i;
    }
    config.seconds_west = seconds_west_of_utc(time(nullptr));
    snprintf(config.zone, sizeof config.zone, "%s", zone_name(time(nullptr)).c_str());
    if (options_.timing) config.flags |= TAPIR_CONFIG_TIMING;
    if (options_.remote_id >= 0) {
        config.flags |= TAPIR_CONFIG_REMOTE;
        config.remote_id = options_.remote_id;
        snprintf(config.remote_uri, sizeof config.remote_uri, "%s", options_.remote_uri.c_str());
    }
    if (options_.suppress_errors) config.flags |= TAPIR_CONFIG_SUPPRESS_ERRORS;
    const int error = control_->config(config);
    if (error == ESRCH)
        return Fault{FaultTag::SettingRefused,
                     format("-N: there is no process %lld", static_cast<long long>(options_.namespaces))};
    if (error)
        return Fault{FaultTag::SettingRefused, format("the module refuses its settings: %s",
                                                      error == EINVAL ? "a limit is out of range" : strerror(error))};
    if (!options_.cgroup.empty())
        if (Outcome<void> limited = limit_to_group(*control_, options_.cgroup); !limited) return limited;
    if (!options_.budget_file.empty())
        if (Outcome<void> shared = share_budget(*control_, options_.budget_file); !shared) return shared;
    if (Outcome<void> set = set_globals(); !set) return set;
    if (Outcome<void> handed = hand_over(); !handed) return handed;
    if (tables_ && config.target) {
        tables_->announce_target(options_.has_command ? &options_.command : nullptr, options_.target);
    } else if (tables_) {
        tables_->announce_processes();
        tables_->serve(kTablesPatienceMs);
    }
    return {};
}

// Passes data that the module cannot find by itself.
Outcome<void> Run::hand_over() {
    if (Outcome<void> same = check_objects(*control_, hello_.objects); !same) return same;
    if (Outcome<void> opened = programs_.open(*control_, hello_.programs); !opened) return opened;
    return hello_.symbols > kFewSymbols ? resolve_symbols(*control_, hello_.symbols) : Outcome<void>();
}

// The command runs meanwhile, and tables are made of what it loads.
Outcome<void> Run::delay() {
    const std::string told = format("%g s of --delay", static_cast<double>(options_.delay_ns) / 1e9);
    const uint64_t until = events_.now() + options_.delay_ns;
    target_.release();
    for (uint64_t now; (now = events_.now()) < until;) {
        const auto left = static_cast<int>(std::min<uint64_t>((until - now) / 1000000 + 1, kDelayStepMs));
        const Event event = events_.wait({}, left);
        if (event.stops)
            return Fault{FaultTag::ControlFailed, "the signal came within the " + told + ": nothing was traced"};
        if (event.children) target_.reap();
        if (options_.has_command && target_.ended())
            return Fault{FaultTag::ControlFailed,
                         "the command of -c ended within the " + told + ": nothing was traced"};
    }
    if (tables_ && options_.has_command) {
        tables_->announce_process(target_.pid());
        tables_->serve();
    }
    return {};
}

Outcome<void> Run::begin() {
    if (options_.delay_ns)
        if (Outcome<void> passed = delay(); !passed) return passed;
    // Begin probes wait for room only for a reader that took a snapshot. With -L staprun does not read their output.
    tapir_ioc_snapshot first = {};
    if (int error = options_.load_only ? 0 : control_->snapshot(first))
        return Fault{FaultTag::ControlFailed, format("Couldn't read from the session: %s", strerror(error))};
    if (int error = control_->start())
        return Fault{FaultTag::ControlFailed, format("Couldn't start the session: %s", strerror(error))};
    return {};
}

// Commands of system() may still have something to print; they are not waited for beyond a moment or a signal.
void Run::await_commands() {
    uint64_t until = events_.now() + kCommandPatienceMs * uint64_t{1000000};
    while (shell_.running() && events_.now() < until) {
        if (events_.wait({}, 50).stops) break;
        shell_.reap();
    }
}

Outcome<void> Run::open_recording() {
    const bool samples = !attaching() && file_.has_samples();
    const bool picture = samples && wants_picture(options_), summary = samples && wants_summary(options_);
    if (picture && (options_.daemon || options_.rotate_bytes))
        return Fault{FaultTag::Misuse,
                     format("%s and -o %s, a picture, exclude each other; write a capture with --record FILE",
                            options_.daemon ? "-D" : "-S", options_.output_file.c_str())};
    if (picture || summary) {
        Outcome<std::string> report = find_report();
        if (report)
            report_ = *report;
        else if (picture)
            return report.fault();
        else
            messages_.warning("there is no stap-report here, so no summary of samples; --record FILE keeps them");
    }
    if (picture) {
        picture_ = expand_time(options_.output_file, time(nullptr));
        output_.leave_file();
    }
    if (!report_.empty() || !options_.record_file.empty())
        recording_.describe(find_origin(options_.command_line, options_.command, options_.target));
    // A capture is the caller's, a picture is made with the caller's rights.
    const bool hide = caller_.restricted() && caller_.standing != Standing::Developer && !sees_kernel_addresses();
    const KernelPlaces places = hide ? KernelPlaces::Numbers : KernelPlaces::Addresses;
    if (!options_.record_file.empty()) return recording_.open(options_.record_file, places);
    // Samples become records, too. Whether a module that runs takes any is known later.
    const bool records = options_.form == TAPIR_FORM_JSON && (attaching() || file_.has_samples());
    return !report_.empty() || records ? recording_.open_in_memory(places) : Outcome<void>();
}

// The status of the session, with what became of the capture.
int Run::record(const char *how, int status, ModuleStream &session) {
    const auto fail = [this](const std::string &text) { return messages_.error(text), 1; };
    Ledger ledger;
    if (int error = ledger.collect(*control_, hello_))
        return fail(format("cannot read the accounting from the module: %s", strerror(error)));
    const Outcome<void> written =
        recording_.write(*control_, ledger, tables_.get(), name_, how, MadeCode(),
                         find_started_names(options_.has_command ? options_.command : std::string()));
    if (!written) return fail(written.fault().message());
    if (options_.form == TAPIR_FORM_JSON)
        if (const Outcome<void> added = add_samples(session, recording_, options_.mangled); !added)
            status = fail(added.fault().message());
    const std::string &name = options_.record_named ? options_.record_name : options_.record_file;
    if (!name.empty())
        messages_.say(
            format("wrote %s, %s", name.c_str(), capture::content_text(recording_.samples(), rows_.count()).c_str()));
    // A script that took no samples and printed something has said what it has to say.
    if (report_.empty() || (picture_.empty() && !recording_.samples() && output_.bytes_written())) return status;
    if (picture_.empty()) output_.part();
    const Outcome<int> made = make_picture(report_, recording_.descriptor(), picture_, options_.picture_options);
    if (!made) messages_.error(made.fault().message());
    return status ? status : made ? *made : 1;
}

// Samples are read at the end of the session, and only here their frames can be named.
void Run::give_up_recording() {
    if (!recording_.is_open()) return;
    recording_.discard();
    if (!options_.record_file.empty()) messages_.error(left_text("capture '" + options_.record_file + "'"));
    if (!picture_.empty()) messages_.error(left_text("picture '" + picture_ + "'"));
    if (!report_.empty() && picture_.empty()) messages_.error(left_text("summary"));
}

int Run::finish(ModuleStream::End end, ModuleStream &session) {
    if (end == ModuleStream::End::Detached) {
        module_.leave();
        say_detached(name_, messages_);
        give_up_recording();
        return messages_.seen_error() || output_.failed() ? 1 : 0;
    }
    target_.reap();
    if (end == ModuleStream::End::Abandoned) messages_.error("Too many interrupts received, exiting.");
    target_.terminate();
    const bool command_failed = options_.has_command && !target_.failure().empty();
    if (command_failed) say_command_failed(target_.failure(), messages_);
    OutputTotals totals;
    totals.bytes_read = session.merger().bytes_read();
    totals.bytes_damaged = session.merger().bytes_damaged();
    totals.from_start = !attaching();
    totals.running_ns = attaching() ? 0 : session.running_ns();
    int status = conclude(*control_, hello_, options_, totals, output_, messages_, ledger_file_,
                          [&session](const Ledger &ledger) { add_accounts(session, ledger); });
    for (const std::string &sentence : tables_ ? tables_->unknown_interpreters() : std::vector<std::string>())
        messages_.warning(sentence);
    if (recording_.is_open())
        status = record(end == ModuleStream::End::Done ? "finished" : "interrupted", status, session);
    if (end == ModuleStream::End::Done) await_commands();
    if (end != ModuleStream::End::Done) return 1;
    return command_failed ? status_of_failed_command(options_, status) : status;
}

int Run::play() {
    Input input(STDIN_FILENO, "/proc/systemtap/" + name_ + "/__stdin");
    Commands commands(options_.commands);
    const bool may_detach = !caller_.restricted() || caller_.standing == Standing::Developer;
    const bool has_snapshots = (hello_.flags & TAPIR_HELLO_SNAPSHOTS) != 0;
    ModuleStream::Parts parts{*control_,     events_,        output_,
                              messages_,     target_,        shell_,
                              tables_.get(), &programs_,     &input,
                              may_detach,    has_snapshots,  options_.compatible,
                              options_.form, hello_.formats, meta_members(hello_, options_)};
    parts.refresh = refresh_of(options_.refresh_ns, *control_, hello_, messages_);
    parts.commands = &commands;
    MetricWishes metrics(*control_, hello_);
    parts.metrics = &metrics;
    if (!options_.record_file.empty()) parts.rows = &rows_;
    ModuleStream session(
        parts, hello_.cpus, options_.run_ns, [this] { daemon_.ready((output_.first_name()) + ".log"); },
        options_.read_ms);
    wait_ = [&session](int fd) { return session.wait_writable(fd); };
    const RecordedMessages recorded(messages_, session);
    ModuleStream::End end = options_.load_only ? session.run_until_armed() : session.run();
    input.end();
    int status = finish(end, session);
    control_.reset();
    module_.remove();
    if (messages_.seen_error()) status = 1;
    status = end_records(session, end == ModuleStream::End::Detached, status, output_);
    if (end != ModuleStream::End::Detached) {
        record_.reason = format("exit status %d", status);
        audit("end", status == 0 ? "done" : "failed");
    }
    wait_ = nullptr;
    return status;
}

// From the insertion, or from attaching, to the start of the probes.
Outcome<void> Run::set_up() {
    if (Outcome<void> connected = connect(); !connected) return connected;
    module_.own(name_);
    if (!attaching())
        if (Outcome<void> configured = configure(); !configured) return configured;
    drop_privileges(!options_.output_file.empty() || options_.bulk || !options_.ledger_file.empty(),
                    recording_.is_open());
    return attaching() ? Outcome<void>() : begin();
}

int Run::go() {
    const auto say = [this](const Fault &fault) {
        messages_.error(fault.message());
        return 1;
    };
    if (Outcome<void> prepared = prepare(); !prepared) return say(prepared.fault());
    name_ = options_.module;
    if (!attaching())
        if (Outcome<void> loaded = load(); !loaded) return say(loaded.fault());
    const Outcome<void> ready = set_up();
    if (ready) return play();
    say(ready.fault());
    control_.reset();
    module_.remove();
    if (began_) {
        record_.reason = ready.fault().message();
        audit("end", "failed");
    }
    return 1;
}

}  // namespace

int run_session(const Options &options, const Caller &caller, Events &events, Messages &messages, WaitWritable &wait) {
    return Run(options, caller, events, messages, wait).go();
}

}  // namespace tapir::staprun
