// SPDX-License-Identifier: GPL-2.0-or-later
#include "module_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../patience.h"
#include "../said.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "conclude.h"
#include "fake.h"

namespace tapir::staprun {
namespace {

Event stop_signal() {
    Event event;
    event.stops = 1;
    return event;
}

class StaprunSession : public testing::Test {
  protected:
    StaprunSession() : messages([this](std::string_view text) { said += text; }) {
        snprintf(name_, sizeof name_, "/tmp/staprun-session-XXXXXX");
        close(mkstemp(name_));
        output = std::make_unique<Output>(OutputSettings{name_, false, 0, 0}, [](int) { return true; });
        EXPECT_EQ("", tapir::said(output->open()));
        control.snapshot_time = 1000;
    }
    ~StaprunSession() override { unlink(name_); }

    ModuleStream::End run(uint64_t run_ns = 0, int read_ms = 0) {
        ModuleStream::Parts parts{control, events, *output, messages, target, shell};
        parts.form = form;
        parts.meta = [](tapir_json *json) { tapir_json_text_member(json, "module", "fake"); };
        session = std::make_unique<ModuleStream>(
            parts, 2, run_ns, [this] { armed++; }, read_ms);
        messages.set_listener([this](const char *type, std::string_view text) { session->add_message(type, text); });
        return session->run();
    }
    int finish(Options options = {}) {
        tapir_ioc_hello hello = {};
        control.hello(hello);
        hello.cpus = 2;
        OutputTotals totals;
        totals.bytes_read = session->merger().bytes_read();
        totals.bytes_damaged = session->merger().bytes_damaged();
        LedgerFile ledger;
        return conclude(control, hello, options, totals, *output, messages, ledger);
    }
    std::string printed() {
        std::string text;
        read_file(name_, 1 << 20, text);
        return text;
    }

    char name_[64];
    FakeControl control;
    FakeEvents events;
    std::string said;
    Messages messages;
    std::unique_ptr<Output> output;
    TargetCommand target;
    ShellCommands shell;
    std::unique_ptr<ModuleStream> session;
    int armed = 0;
    tapir_form form = TAPIR_FORM_TEXT;
};

// A message of the session stands behind the records up to the last snapshot, and before those of the next one.
TEST_F(StaprunSession, RecordsAreInTheOrderOfTime) {
    form = TAPIR_FORM_JSON;
    control.add(TAPIR_STREAM_DATA, 0, 10, "hello\n");
    control.add(TAPIR_STREAM_CONTROL, 1, 20, "careful", TAPIR_REC_WARNING);
    control.status_row.skipped = 2;
    events.steps = {{{},
                     [this] {
                         events.clock += 2000000000;
                         control.drop(TAPIR_STREAM_DATA, 1, 64);
                         control.drop(TAPIR_STREAM_NMI, 0, 64);
                     }},
                    {{}, [this] {
                         control.state = TAPIR_STATE_DONE;
                         control.snapshot_time = 2000;
                         control.status_row.skipped = 5;
                         control.drop(TAPIR_STREAM_DATA, 0, 64);
                         control.add(TAPIR_STREAM_DATA, 1, 1500, "end\n");
                     }}};
    EXPECT_EQ(ModuleStream::End::Done, run());
    const std::string records = printed();
    EXPECT_EQ(
        "{\"v\":1,\"type\":\"meta\",\"t\":10,\"module\":\"fake\"}\n"
        "{\"v\":1,\"type\":\"print\",\"t\":10,\"cpu\":0,\"text\":\"hello\\n\"}\n"
        "{\"v\":1,\"type\":\"warning\",\"t\":20,\"cpu\":1,\"text\":\"careful\"}\n"
        "{\"v\":1,\"type\":\"loss\",\"t\":1000,\"what\":\"output\",\"count\":2}\n"
        "{\"v\":1,\"type\":\"loss\",\"t\":1000,\"what\":\"hits\",\"count\":2}\n"
        "{\"v\":1,\"type\":\"print\",\"t\":1500,\"cpu\":1,\"text\":\"end\\n\"}\n"
        "{\"v\":1,\"type\":\"loss\",\"t\":2000,\"what\":\"output\",\"count\":1}\n"
        "{\"v\":1,\"type\":\"loss\",\"t\":2000,\"what\":\"hits\",\"count\":3}\n",
        records);
    EXPECT_EQ("WARNING: careful\n", said);
}

TEST_F(StaprunSession, WithoutOutputTheRecordsTellWhatRuns) {
    form = TAPIR_FORM_JSON;
    events.steps = {{{}, [this] { control.state = TAPIR_STATE_DONE; }}};
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ("{\"v\":1,\"type\":\"meta\",\"t\":1000,\"module\":\"fake\"}\n", printed());
}

TEST_F(StaprunSession, CsvTellsOnceWhatItLeavesOut) {
    form = TAPIR_FORM_CSV;
    control.add(TAPIR_STREAM_DATA, 0, 10, "hello\n");
    control.add(TAPIR_STREAM_DATA, 0, 11, "hello\n");
    events.steps = {{{}, [this] { control.state = TAPIR_STATE_DONE; }}};
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ("", printed());
    EXPECT_EQ(
        "WARNING: --format=csv writes rows of tables (@table) alone; what the script prints otherwise is left out\n",
        said);
}

TEST_F(StaprunSession, EndsByItselfAndPrintsAll) {
    control.add(TAPIR_STREAM_DATA, 0, 1, "hello\n");
    events.steps = {{{}, nullptr}, {{}, [this] {
                                        control.state = TAPIR_STATE_DONE;
                                        control.add(TAPIR_STREAM_DATA, 1, 2, "end\n");
                                    }}};
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ("hello\nend\n", printed());
    EXPECT_EQ(0u, control.stops);
    EXPECT_EQ(1, armed);
    EXPECT_EQ(0, finish());
    EXPECT_EQ("", said);
}

TEST_F(StaprunSession, OutputWaitsAsLongAsAskedFor) {
    control.add(TAPIR_STREAM_DATA, 0, 1, "hello\n");
    events.steps = {{{}, nullptr}, {{}, nullptr}, {{}, [this] { control.state = TAPIR_STATE_DONE; }}};
    EXPECT_EQ(ModuleStream::End::Done, run(0, 700));
    EXPECT_EQ((std::vector<int>{700, 700, 60000}), events.timeouts);
    EXPECT_EQ("hello\n", printed());
}

// ... but the end of the session does not wait for it.
TEST_F(StaprunSession, TheClockIsStrongerThanTheReadersPatience) {
    events.steps = {{{}, [this] { control.add(TAPIR_STREAM_DATA, 0, 1, "hello\n"); }}, {{}, nullptr}};
    EXPECT_EQ(ModuleStream::End::Done, run(1000 * 1000000ull, 600));
    EXPECT_EQ(600, events.timeouts.at(1));
    EXPECT_EQ(400, events.timeouts.at(2));
}

TEST_F(StaprunSession, FirstSignalStopsAndEndProbesAreHeard) {
    control.on_stop = [this] { control.add(TAPIR_STREAM_DATA, 0, 5, "end probe\n"); };
    events.steps = {{{}, nullptr}, {stop_signal(), nullptr}};
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ("end probe\n", printed());
    EXPECT_EQ(1u, control.stops);
    EXPECT_EQ(0, finish());
}

TEST_F(StaprunSession, ThirdSignalAbandons) {
    control.state_after_stop = TAPIR_STATE_STOPPING;
    events.steps = {{stop_signal(), nullptr}, {stop_signal(), nullptr}, {stop_signal(), nullptr}};
    EXPECT_EQ(ModuleStream::End::Abandoned, run());
    EXPECT_EQ(1u, control.stops);
}

TEST_F(StaprunSession, SecondSignalInterrupts) {
    control.state_after_stop = TAPIR_STATE_STOPPING;
    control.on_stop = [this] { EXPECT_EQ(0u, control.interrupts); };
    events.steps = {{stop_signal(), nullptr}, {stop_signal(), [this] { control.state = TAPIR_STATE_DONE; }}};
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(1u, control.stops);
    EXPECT_EQ(1u, control.interrupts);
}

TEST_F(StaprunSession, SignalsWhileOutputIsBlocked) {
    session = std::make_unique<ModuleStream>(ModuleStream::Parts{control, events, *output, messages, target, shell}, 2,
                                             0, nullptr);
    Event writable;
    writable.writable = true;
    control.state_after_stop = TAPIR_STATE_STOPPING;
    events.steps = {{stop_signal(), nullptr},
                    {{}, nullptr},
                    {writable, nullptr},
                    {stop_signal(), nullptr},
                    {stop_signal(), nullptr}};
    EXPECT_TRUE(session->wait_writable(7));
    EXPECT_EQ(1u, control.stops);
    EXPECT_EQ(7, events.watched[0].writable);
    EXPECT_FALSE(session->wait_writable(7));
}

// A pipe between output and a reader who does what `turn` says whenever staprun waits for him; the module has printed
// more than fits in there.
class StaprunReader : public StaprunSession, public Events {
  protected:
    StaprunReader() {
        signal(SIGPIPE, SIG_IGN);  // as in staprun
        pipe_ = std::string(name_) + "-pipe";
        EXPECT_EQ(0, mkfifo(pipe_.c_str(), 0600));
        reader_ = open(pipe_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        output = std::make_unique<Output>(OutputSettings{pipe_, false, 0, 0},
                                          [this](int fd) { return session->wait_writable(fd); });
        EXPECT_EQ("", tapir::said(output->open()));
        for (uint64_t i = 0; i < 3000; i++) {
            const std::string line = format("line %06llu ", static_cast<unsigned long long>(i)) + std::string(88, '.');
            control.add(TAPIR_STREAM_DATA, 0, i, line + "\n");
            expected_ += line + "\n";
        }
        control.state = TAPIR_STATE_DONE;
    }
    ~StaprunReader() override {
        leave();
        unlink(pipe_.c_str());
    }
    ModuleStream::End run() {
        session = std::make_unique<ModuleStream>(ModuleStream::Parts{control, *this, *output, messages, target, shell},
                                                 2, 0, nullptr);
        return session->run();
    }
    void take() {
        char piece[4096];
        for (ssize_t got; (got = ::read(reader_, piece, sizeof piece)) > 0;)
            taken_.append(piece, static_cast<size_t>(got));
    }
    void leave() {
        if (reader_ >= 0) close(reader_);
        reader_ = -1;
    }

    Event wait(const Watch &watch, int timeout_ms) override {
        Event event;
        clock_ += static_cast<uint64_t>(timeout_ms) * 1000000;
        if (watch.writable < 0) return event;
        waits_++;
        event.stops = turn();
        pollfd ready = {watch.writable, POLLOUT, 0};
        event.writable = poll(&ready, 1, 0) > 0;
        return event;
    }
    uint64_t now() override { return clock_; }

    std::function<unsigned()> turn;  // how many signals come
    uint64_t clock_ = 1000;
    unsigned waits_ = 0;
    int reader_ = -1;
    std::string pipe_, taken_, expected_;
};

TEST_F(StaprunReader, IsWaitedForHoweverLong) {
    constexpr unsigned kAnHour = 3600 * 1000 / 50;
    turn = [this] {
        if (waits_ % kAnHour == 0) take();
        return waits_ == kAnHour / 2 ? 1 : 0;
    };
    EXPECT_EQ(ModuleStream::End::Done, run());
    take();
    EXPECT_GE(waits_, 2 * kAnHour);
    EXPECT_EQ(expected_, taken_);
    EXPECT_EQ(0u, control.interrupts);
    EXPECT_EQ(0, finish());
    EXPECT_EQ("", said);
}

TEST_F(StaprunReader, WhoTakesNothingIsGivenUpAfterTheSecondSignal) {
    uint64_t second = 0;
    turn = [this, &second] {
        if (waits_ == 2000) second = clock_;
        return waits_ == 1000 || waits_ == 2000 ? 1 : 0;
    };
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(1u, control.stops);
    EXPECT_EQ(1u, control.interrupts);
    ASSERT_NE(0u, second);
    EXPECT_EQ(2000u, (clock_ - second) / 1000000);
    take();
    EXPECT_EQ(expected_.substr(0, taken_.size()), taken_);
    EXPECT_EQ(expected_.size(), output->bytes_written() + output->bytes_lost());
    EXPECT_EQ(taken_.size(), output->bytes_written());
    EXPECT_EQ(1, finish());
    EXPECT_EQ(0u, said.find("ERROR: Gave up writing: the reader of the output takes nothing\nledger: ")) << said;
    EXPECT_NE(std::string::npos, said.find(format("wrote %zu bytes of output, lost %zu\n", taken_.size(),
                                                  expected_.size() - taken_.size())))
        << said;
}

// Two signals mean no harm to a reader who is slow and takes something.
TEST_F(StaprunReader, WhoTakesALittleIsWaitedForAfterTheSecondSignal) {
    turn = [this] {
        if (waits_ % 30 == 0) take();
        return waits_ <= 2 ? 1 : 0;
    };
    EXPECT_EQ(ModuleStream::End::Done, run());
    take();
    EXPECT_EQ(expected_, taken_);
    EXPECT_EQ(0, finish());
}

TEST_F(StaprunReader, WhoLeavesIsNotWaitedFor) {
    turn = [this] {
        if (waits_ == 10) leave();
        return 0;
    };
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(10u, waits_);
    EXPECT_TRUE(output->failed());
    EXPECT_EQ(expected_.size(), output->bytes_written() + output->bytes_lost());
    EXPECT_EQ(1, finish());
}

TEST_F(StaprunSession, TimeLimitCountsFromRunning) {
    control.state = TAPIR_STATE_STARTING;
    events.steps = {{{}, nullptr}, {{}, [this] {
                                        events.clock += 3600ull * 1000000000;
                                        control.state = TAPIR_STATE_RUNNING;
                                    }}};
    EXPECT_EQ(ModuleStream::End::Done, run(200 * 1000000));
    EXPECT_EQ(1u, control.stops);
    uint64_t waited = 0;
    for (size_t i = 2; i < events.timeouts.size(); i++)
        waited += static_cast<uint64_t>(events.timeouts[i]);
    EXPECT_EQ(200u, waited);
}

// Snapshots take their time before probes are armed.
TEST_F(StaprunSession, TimeLimitOfSnapshotsCountsFromTheStart) {
    control.state = TAPIR_STATE_STARTING;
    session = std::make_unique<ModuleStream>(
        ModuleStream::Parts{control, events, *output, messages, target, shell, nullptr, nullptr, nullptr, true, true},
        2, 3000 * uint64_t{1000000}, nullptr);
    const uint64_t start = events.clock;
    EXPECT_EQ(ModuleStream::End::Done, session->run());
    EXPECT_EQ(1u, control.stops);
    EXPECT_EQ(3000u, (events.clock - start) / 1000000);
}

TEST_F(StaprunSession, WaitsLongerWhenIdleAndNeverSpins) {
    Event ready;
    ready.control = true;
    for (int i = 0; i < 10; i++)
        events.steps.push_back({ready, nullptr});
    events.steps.push_back({stop_signal(), nullptr});
    EXPECT_EQ(ModuleStream::End::Done, run());
    // Readable for nothing: every other wait leaves the control file out.
    int without = 0;
    for (size_t i = 0; i < 10; i++)
        without += events.watched[i].control == -1;
    EXPECT_GE(without, 4);
    for (size_t i = 1; i < 10; i++)
        EXPECT_NE(events.watched[i].control == -1, events.timeouts[i] > 5) << i;
}

// The module tells of the next record, so that staprun need not ask.
TEST_F(StaprunSession, SilenceIsNotLookedInto) {
    control.add(TAPIR_STREAM_DATA, 0, 1, "hello\n");
    for (int i = 0; i < 6; i++)
        events.steps.push_back({{}, nullptr});
    Event ready;
    ready.control = true;
    events.steps.push_back({ready, [this] { control.add(TAPIR_STREAM_DATA, 1, 2, "again\n"); }});
    events.steps.push_back({{}, nullptr});
    events.steps.push_back({stop_signal(), nullptr});
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ((std::vector<int>{10, 10, 20, 40, 50, 60000, 60000, 10, 20}), events.timeouts);
    EXPECT_EQ((std::vector<bool>{false, false, false, false, true, true, true, false, false}),
              std::vector<bool>(control.waits.begin(), control.waits.begin() + 9));
    EXPECT_EQ("hello\nagain\n", printed());
}

// A record that is newer than the snapshot comes with the next one, without a notice.
TEST_F(StaprunSession, WhatIsHeldBackIsNoSilence) {
    control.add(TAPIR_STREAM_DATA, 0, 1001, "late\n");
    for (int i = 0; i < 7; i++)
        events.steps.push_back({{}, nullptr});
    events.steps.push_back({{}, [this] { control.snapshot_time = 1001; }});
    events.steps.push_back({stop_signal(), nullptr});
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ((std::vector<int>{10, 20, 40, 50, 50, 50, 50, 50, 10}), events.timeouts);
    EXPECT_EQ("late\n", printed());
}

TEST_F(StaprunSession, QuitDetaches) {
    Event quit;
    quit.detach = true;
    events.steps = {{{}, nullptr}, {quit, nullptr}};
    EXPECT_EQ(ModuleStream::End::Detached, run());
    EXPECT_EQ(1u, control.detaches);
    EXPECT_EQ(0u, control.stops);
}

TEST_F(StaprunSession, QuitEndsASessionThatMayNotDetach) {
    Event quit;
    quit.detach = true;
    events.steps = {{{}, nullptr}, {quit, nullptr}};
    session = std::make_unique<ModuleStream>(
        ModuleStream::Parts{control, events, *output, messages, target, shell, nullptr, nullptr, nullptr, false}, 2, 0,
        nullptr);
    EXPECT_EQ(ModuleStream::End::Done, session->run());
    EXPECT_EQ(0u, control.detaches);
    EXPECT_EQ(1u, control.stops);
}

TEST_F(StaprunSession, ErrorsAndWarnings) {
    control.add(TAPIR_STREAM_CONTROL, 0, 1, "careful", TAPIR_REC_WARNING);
    control.add(TAPIR_STREAM_CONTROL, 0, 2, "careful", TAPIR_REC_WARNING);
    control.add(TAPIR_STREAM_CONTROL, 1, 3, "division by 0 near operator '/' at x.stp:1:1", TAPIR_REC_ERROR);
    control.status_row.errors = 1;
    control.state = TAPIR_STATE_DONE;
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(1, finish());
    EXPECT_EQ(
        "WARNING: careful\n"
        "ERROR: division by 0 near operator '/' at x.stp:1:1\n"
        "help: test the divisor before, or catch the error: try { ... } catch { ... }\n"
        "WARNING: Number of errors: 1, skipped probes: 0\n",
        said);
}

TEST_F(StaprunSession, SuppressedErrorsAreNoFailure) {
    control.status_row.errors = 3;
    control.state = TAPIR_STATE_DONE;
    EXPECT_EQ(ModuleStream::End::Done, run());
    Options options;
    options.suppress_errors = true;
    EXPECT_EQ(0, finish(options));
    EXPECT_EQ("WARNING: Number of errors: 3, skipped probes: 0\n", said);
}

TEST_F(StaprunSession, SkippedHitsAreReported) {
    tapir_ioc_probe probe = {};
    strcpy(probe.point, "timer.profile");
    strcpy(probe.where, "x.stp:3:1");
    probe.hits = 9;
    probe.handled = 7;
    probe.skipped[TAPIR_SKIP_LOCK] = 2;
    control.probes = {probe};
    control.state = TAPIR_STATE_DONE;
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(0, finish());
    EXPECT_EQ(
        "WARNING: Number of errors: 0, skipped probes: 2\n"
        "ledger: probe timer.profile (x.stp:3:1): hits 9 = handled 7 + reentry 0 + lock 2 + stack 0 + state 0; missed "
        "0\n"
        "ledger: all streams: records 0 = delivered 0 + dropped 0 + left 0; bytes 0 = delivered 0 + dropped 0 + left "
        "0\n"
        "ledger: staprun: read 0 bytes of records, 0 of them damaged; wrote 0 bytes of output, lost 0\n",
        said);
}

TEST_F(StaprunSession, DroppedOutputIsAFailure) {
    control.drop(TAPIR_STREAM_DATA, 0, 64);
    control.state = TAPIR_STATE_DONE;
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(1, finish());
    EXPECT_EQ(
        0u,
        said.find(
            "WARNING: 1 records of output were lost: the reader was too slow for the buffer (-s makes it larger)\n"));
}

TEST_F(StaprunSession, DamagedRecordsAreAnError) {
    control.add_bytes(TAPIR_STREAM_DATA, 0, "garbage!garbage!garbage!");
    control.state = TAPIR_STATE_DONE;
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(1, finish());
    EXPECT_EQ(0u, said.find("ERROR: the module sent damaged records; output is incomplete\n"));
}

TEST_F(StaprunSession, ModuleThatFailsEndsTheSession) {
    control.snapshot_error = EIO;
    EXPECT_EQ(ModuleStream::End::Broken, run());
    EXPECT_EQ("ERROR: the module does not deliver its output: Input/output error\n", said);
}

TEST_F(StaprunSession, ModuleThatDoesNotStopEndsTheSession) {
    control.stop_error = EIO;
    events.steps = {{stop_signal(), nullptr}};
    EXPECT_EQ(ModuleStream::End::Broken, run());
    EXPECT_EQ("ERROR: the module does not stop: Input/output error\n", said);
}

TEST_F(StaprunSession, FullDiskStops) {
    output = std::make_unique<Output>(OutputSettings{"/dev/full", false, 0, 0}, [](int) { return true; });
    ASSERT_EQ("", tapir::said(output->open()));
    control.add(TAPIR_STREAM_DATA, 0, 1, "hello\n");
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(1u, control.stops);
    EXPECT_EQ(1, finish());
    EXPECT_EQ(
        "ERROR: Couldn't write to output file '/dev/full': No space left on device\n"
        "ledger: all streams: records 1 = delivered 1 + dropped 0 + left 0; bytes 24 = delivered 24 + dropped 0 + left "
        "0\n"
        "ledger: staprun: read 24 bytes of records, 0 of them damaged; wrote 0 bytes of output, lost 6\n",
        said);
}

TEST_F(StaprunSession, TargetCommandEndsTheSession) {
    ASSERT_EQ("", tapir::said(target.prepare("exit 3;")));
    EXPECT_GT(target.pid(), 0);
    Event child;
    child.children = true;
    const int steps = static_cast<int>(500 * tests::patience());
    for (int i = 0; i < steps; i++)
        events.steps.push_back({child, [] { usleep(10000); }});
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_EQ(1u, control.stops);
    EXPECT_EQ("with status 3", target.failure());
}

TEST_F(StaprunSession, SystemCommandsRunAfterEarlierOutput) {
    std::string file = std::string(name_) + ".sys";
    control.add(TAPIR_STREAM_DATA, 0, 1, "before\n");
    control.add(TAPIR_STREAM_CONTROL, 0, 2, "cat " + std::string(name_) + " > " + file, TAPIR_REC_SYSTEM);
    control.state = TAPIR_STATE_DONE;
    EXPECT_EQ(ModuleStream::End::Done, run());
    EXPECT_TRUE(tests::patiently(5, [&] { return shell.reap(), !shell.running(); }));
    std::string seen;
    EXPECT_EQ(0, read_file(file.c_str(), 1000, seen));
    EXPECT_EQ("before\n", seen);
    unlink(file.c_str());
}

TEST_F(StaprunSession, LoadOnlyDetachesWhenArmed) {
    control.state = TAPIR_STATE_STARTING;
    events.steps = {{{}, nullptr}, {{}, [this] { control.state = TAPIR_STATE_RUNNING; }}};
    session = std::make_unique<ModuleStream>(ModuleStream::Parts{control, events, *output, messages, target, shell}, 2,
                                             0, nullptr);
    EXPECT_EQ(ModuleStream::End::Detached, session->run_until_armed());
    EXPECT_EQ(1u, control.detaches);
}

TEST_F(StaprunSession, LoadOnlyReadsASessionThatEndsEarly) {
    control.state = TAPIR_STATE_STARTING;
    control.add(TAPIR_STREAM_CONTROL, 0, 1, "no such function", TAPIR_REC_ERROR);
    events.steps = {{{}, [this] { control.state = TAPIR_STATE_DONE; }}};
    session = std::make_unique<ModuleStream>(ModuleStream::Parts{control, events, *output, messages, target, shell}, 2,
                                             0, nullptr);
    EXPECT_EQ(ModuleStream::End::Done, session->run_until_armed());
    EXPECT_EQ("ERROR: no such function\n", said);
    EXPECT_EQ(0u, control.detaches);
}

}  // namespace
}  // namespace tapir::staprun
