// SPDX-License-Identifier: GPL-2.0-or-later
#include "push/push_session.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "common/files.h"
#include "common/json.h"
#include "push/otlp_metrics.h"
#include "push/profiles.h"
#include "push/push_items.h"

namespace tapir::push {

namespace {

constexpr int kCommands = 3;  // the command's descriptor that questions come by
constexpr size_t kLongestLine = size_t{16} << 20;

uint64_t now_ns() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

}  // namespace

PushSession::PushSession(SessionSettings settings, const PushSettings &push, Outbox &outbox, Tell tell)
    : settings_(std::move(settings)), push_(push), outbox_(outbox), tell_(std::move(tell)), reader_(push.series) {}

Outcome<void> PushSession::start() {
    Descriptor theirs;
    if (!make_pipe(theirs, commands_)) return Fault{FaultTag::ProgramNotStarted, "cannot make a pipe"};
    fcntl(commands_.get(), F_SETFL, O_NONBLOCK);
    Program program{settings_.command};
    std::vector<std::string> further = {"TAPIR_LIVE=" + std::to_string(kCommands)};
    if (outbox_.destination().takes_profiles() && settings_.capture.empty()) {
        settings_.capture = outbox_.directory() + "/capture.tapir";
        further.push_back("TAPIR_PUSH_CAPTURE=" + settings_.capture);
    }
    program.environment = environment_with(further);
    // A guest takes questions as its standard input.
    program.input = isatty(STDIN_FILENO) ? Stream::nothing() : Stream::inherited();
    program.output = Stream::pipe();
    program.errors = Stream::inherited();
    program.further = {{kCommands, Stream::descriptor(theirs.get())}};
    program.death_signal = SIGTERM;
    program.default_signals = {SIGINT, SIGTERM, SIGHUP};
    return program_.start(program);
}

int PushSession::run() {
    sigset_t stops;
    sigemptyset(&stops);
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
        sigaddset(&stops, number);
    signals_ = Descriptor(signalfd(-1, &stops, SFD_CLOEXEC | SFD_NONBLOCK));
    if (const Outcome<void> started = start(); !started) {
        tell_(started.fault().message());
        outbox_.finish([] { return true; });
        return 1;
    }
    next_ = Clock::now() + push_.every;
    read_until_end();
    program_.wait();
    is_over_ = true;
    // The session has told its metrics once more at its end.
    if (reader_.reading().started_ns) {
        push_metrics();
        push_profile();
    }
    outbox_.finish([this] {
        take_signals();
        return hurries_;
    });
    return program_.ending().code();
}

// One from the terminal has reached the command, too.
void PushSession::take_signals() {
    signalfd_siginfo signal = {};
    while (read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
        hurries_ = hurries_ || is_over_;
        if (signal.ssi_code != SI_KERNEL && program_.alive()) program_.signal(static_cast<int>(signal.ssi_signo));
    }
}

void PushSession::read_until_end() {
    while (program_.output_descriptor() >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next_ - Clock::now()).count();
        pollfd watched[] = {{signals_.get(), POLLIN, 0}, {program_.output_descriptor(), POLLIN, 0}};
        poll(watched, std::size(watched), static_cast<int>(std::max<int64_t>(left + 1, 0)));
        take_signals();
        std::string bytes;
        if (watched[1].revents) program_.read_output(bytes);
        take(bytes);
        if (Clock::now() >= next_) put_question();
    }
    if (!rest_.empty()) pass_on(std::exchange(rest_, {}));
}

void PushSession::put_question() {
    next_ = std::max(next_ + push_.every, Clock::now());
    if (!outbox_.destination().takes_metrics() || !reader_.reading().started_ns) return;
    if (asked_) {
        if (!std::exchange(told_late_, true)) tell_("the script has not told its metrics yet: it is asked more rarely");
        return;
    }
    constexpr std::string_view kQuestion = "metrics\n";
    if (write(commands_.get(), kQuestion.data(), kQuestion.size()) < 0) return;
    reader_.ask();
    asked_ = true;
}

void PushSession::take(std::string_view bytes) {
    rest_ += bytes;
    size_t from = 0;
    for (size_t end; (end = rest_.find('\n', from)) != std::string::npos; from = end + 1)
        pass_on(std::string_view(rest_).substr(from, end - from));
    rest_.erase(0, from);
    if (rest_.size() > kLongestLine) rest_.clear();
    if (reader_.broken_lines() && !std::exchange(told_broken_, true))
        tell_("the command writes lines that are no records");
    if (!asked_ || !reader_.is_answered()) return;
    asked_ = false;
    push_metrics();
}

// A line of records is read, and goes to standard output, or the text in it does.
void PushSession::pass_on(std::string_view line) {
    reader_.take(line);
    if (settings_.passes_records) {
        std::string whole(line);
        write_all(STDOUT_FILENO, whole += '\n');
        return;
    }
    constexpr std::string_view kPrint = "\"print\"";
    if (line.find(kPrint) == std::string_view::npos) return;
    const nlohmann::json record = nlohmann::json::parse(line, nullptr, false);
    if (!record.is_object() || record.value("type", "") != "print" || !record.contains("text")) return;
    const std::string text = record["text"].is_string() ? record["text"].get<std::string>() : "";
    write_all(STDOUT_FILENO, record.contains("latin1") ? bytes_of_latin1(text) : text);
}

void PushSession::push_metrics() {
    if (!outbox_.destination().takes_metrics()) return;
    const exporter::Reading &reading = reader_.reading();
    MetricsSource source{settings_.script, settings_.version, push_.attributes, now_ns()};
    outbox_.put(metrics_item(outbox_.destination(), otlp_metrics(reading, outbox_.tally(), source)));
    uint64_t left_out = 0;
    for (const auto &[name, metric] : reading.metrics)
        left_out += metric.left_out;
    if (left_out && !std::exchange(told_limit_, true))
        tell_(std::to_string(left_out) + " elements are left out: the limit is " + std::to_string(push_.series) +
              " (series=)");
}

void PushSession::push_profile() {
    if (!outbox_.destination().takes_profiles()) return;
    const Outcome<void> pushed = push_capture(outbox_, settings_.capture, settings_.script);
    if (!pushed) tell_(pushed.fault().message());
}

}  // namespace tapir::push
