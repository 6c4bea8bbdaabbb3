// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter/script_session.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/quoting.h"

namespace tapir::exporter {

namespace {

constexpr int kCommands = 3;  // the program's descriptor that questions come by
constexpr size_t kLongestLine = size_t{16} << 20;
constexpr std::chrono::seconds kEndProbes{10};

Accounting operator+(const Accounting &a, const Accounting &b) {
    return {a.hits + b.hits, a.lost_hits + b.lost_hits, a.errors + b.errors, a.lost_records + b.lost_records,
            a.overhead_ns + b.overhead_ns};
}

}  // namespace

ScriptSession::ScriptSession(ScriptSettings settings, std::string stap, Log log)
    : settings_(std::move(settings)), stap_(std::move(stap)), log_(std::move(log)), reader_(settings_.series) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
        woken_ = Descriptor(ends[0]);
        wake_ = Descriptor(ends[1]);
    }
    wanted_ = settings_.at_start;
    thread_ = std::thread([this] { run(); });
}

ScriptSession::~ScriptSession() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    changed_.notify_all();
    wake();
    thread_.join();
}

void ScriptSession::wake() {
    // A pipe that is full wakes, too.
    if (write(wake_.get(), "", 1) < 0) return;
}

uint64_t ScriptSession::ask() {
    uint64_t question;
    {
        const std::lock_guard lock(mutex_);
        wanted_ = true;
        // A question that is not answered is this one, too.
        if (!asked_) question_ = true;
        question = answers_ + 1;
    }
    changed_.notify_all();
    wake();
    return question;
}

ScriptState ScriptSession::wait(uint64_t question, Clock::time_point until) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, until, [this, question] {
        const bool has_begun = is_running_ && reader_.reading().started_ns != 0;
        return !has_begun || answers_ >= question || leaving_;
    });
    return state(question);
}

ScriptState ScriptSession::state(uint64_t question) const {
    ScriptState state;
    state.name = settings_.name;
    state.is_up = is_running_ && answers_ >= question;
    state.starts = starts_;
    if (is_running_) state.seconds_up = std::chrono::duration<double>(Clock::now() - started_).count();
    state.reading = reader_.reading();
    for (const auto &[name, metric] : state.reading.metrics)
        state.left_out += metric.left_out;
    state.of_earlier = of_earlier_;
    return state;
}

void ScriptSession::run() {
    while (await_wish()) {
        const Clock::time_point begun = Clock::now();
        if (start()) read_until_end();
        conclude();
        const auto ran = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun);
        std::unique_lock lock(mutex_);
        if (leaving_) break;
        if (ran >= BackOff::kMost) back_off_.succeeded();
        const auto pause = back_off_.failed();
        say("starts again in " + std::to_string(pause.count()) + " s");
        changed_.wait_for(lock, pause, [this] { return leaving_; });
    }
}

// Until the script is to run. False: the exporter ends.
bool ScriptSession::await_wish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return wanted_ || leaving_; });
    return !leaving_;
}

bool ScriptSession::start() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    const Descriptor theirs(ends[0]);
    commands_ = Descriptor(ends[1]);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    Program program{{stap_}};
    std::vector<std::string> words = settings_.words;
    // Options of stap itself; a tool takes them, too.
    const size_t front = words.size() > 1 && words[0] == "run" ? 2 : 0;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(front), {"--format=json", "--metrics"});
    program.argv.insert(program.argv.end(), words.begin(), words.end());
    program.environment = environment_with({"TAPIR_LIVE=" + std::to_string(kCommands), "TAPIR_MESSAGES=plain"});
    program.output = Stream::pipe();
    program.errors = Stream::pipe();
    program.further = {{kCommands, Stream::descriptor(theirs.get())}};
    program.group = ProcessGroup::Own;
    program.death_signal = SIGTERM;
    program.default_signals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    {
        const std::lock_guard lock(mutex_);
        starts_++;
        started_ = Clock::now();
        reader_ = RecordReader(settings_.series);
        told_limit_ = told_broken_ = false;
    }
    const Outcome<void> begun = program_.start(program);
    if (!begun) {
        say("cannot be started: " + begun.fault().message());
        return false;
    }
    const std::lock_guard lock(mutex_);
    is_running_ = true;
    question_ = true;
    asked_ = false;
    return true;
}

void ScriptSession::read_until_end() {
    std::string rest;
    for (;;) {
        pollfd watched[] = {{woken_.get(), POLLIN, 0},
                            {program_.output_descriptor(), POLLIN, 0},
                            {program_.errors_descriptor(), POLLIN, 0}};
        poll(watched, std::size(watched), -1);
        char drained[64];
        while (read(woken_.get(), drained, sizeof drained) > 0)
            ;
        put_question();
        std::string bytes;
        const bool open = program_.output_descriptor() >= 0;
        if (watched[1].revents) program_.read_output(bytes);
        take(rest, bytes);
        bytes.clear();
        if (watched[2].revents) program_.read_errors(bytes);
        messages_.take(bytes, [this](const std::string &line) { say(printable(line)); });
        {
            const std::lock_guard lock(mutex_);
            if (leaving_) return end_program();
        }
        if (open && program_.output_descriptor() < 0) break;
    }
    program_.wait();
}

// Lines of records.
void ScriptSession::take(std::string &rest, std::string_view bytes) {
    if (bytes.empty()) return;
    rest += bytes;
    size_t from = 0;
    const std::lock_guard lock(mutex_);
    for (size_t end; (end = rest.find('\n', from)) != std::string::npos; from = end + 1)
        reader_.take(std::string_view(rest).substr(from, end - from));
    rest.erase(0, from);
    if (rest.size() > kLongestLine) rest.clear();
    if (reader_.broken_lines() && !std::exchange(told_broken_, true)) say("writes lines that are no records");
    if (!asked_ || !reader_.is_answered()) return;
    asked_ = false;
    answers_++;
    changed_.notify_all();
    uint64_t left_out = 0;
    for (const auto &[name, metric] : reader_.reading().metrics)
        left_out += metric.left_out;
    if (left_out && !std::exchange(told_limit_, true))
        say(std::to_string(left_out) + " elements are left out: the limit is " + std::to_string(settings_.series) +
            " (series=)");
    if (reader_.has_no_metrics()) say("has no metrics (@metric)");
}

void ScriptSession::put_question() {
    const std::lock_guard lock(mutex_);
    if (!question_ || asked_) return;
    constexpr std::string_view kQuestion = "metrics\n";
    if (::write(commands_.get(), kQuestion.data(), kQuestion.size()) < 0) return;
    question_ = false;
    asked_ = true;
    reader_.ask();
}

void ScriptSession::end_program() {
    program_.signal(SIGINT);
    if (!program_.wait(kEndProbes)) program_.kill();
}

// The program has ended, or did not start.
void ScriptSession::conclude() {
    messages_.finish([this](const std::string &line) { say(printable(line)); });
    if (program_.ended()) {
        const std::string words = program_.ending().words();
        say(words.empty() ? "has ended" : "has ended " + words);
    }
    program_.forget();
    commands_ = Descriptor();
    const std::lock_guard lock(mutex_);
    of_earlier_ = of_earlier_ + reader_.reading().account;
    reader_ = RecordReader(settings_.series);
    is_running_ = question_ = asked_ = false;
    changed_.notify_all();
}

}  // namespace tapir::exporter
