// SPDX-License-Identifier: GPL-2.0-or-later
#include "interactive/runs.h"

#include <poll.h>

#include <csignal>

#include "common/run_program.h"

namespace tapir::interactive {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPause(300);      // definitions that are pasted start one session
constexpr milliseconds kLongest(15000);  // that a session may take to end
constexpr int kLookMs = 100;

Program program_of(const Launch &launch, const std::vector<std::string> &arguments) {
    Program program{launch.program};
    for (const auto *words : {&arguments, &launch.options})
        program.argv.insert(program.argv.end(), words->begin(), words->end());
    program.environment = environment_with(launch.environment);
    // Ctrl-C means the line that is typed.
    program.group = ProcessGroup::Own;
    program.death_signal = SIGTERM;
    return program;
}

std::string reason(const Fault &fault) {
    return "it cannot be started: " + fault.message() + "\n";
}

// Takes the output that is there now.
std::string available_output(Process &process, int wait_ms) {
    std::string text;
    for (;;) {
        pollfd polled = {process.output_descriptor(), POLLIN, 0};
        if (poll(&polled, 1, wait_ms) <= 0 || !process.read_output(text)) return text;
        wait_ms = 0;
    }
}

// The last line may not have ended.
std::string ended_line(std::string text) {
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    return text;
}

}  // namespace

std::string output_of_run(const Launch &launch, const std::vector<std::string> &arguments) {
    Collected output;
    Program program = program_of(launch, arguments);
    program.output = Stream::collected(output);
    program.errors = Stream::nothing();
    const Outcome<Ending> ending = run_program(program, {{}, [] { return take_interrupt(); }});
    return ending && ending->good() ? std::move(output.text) : "";
}

std::string check(const Launch &launch, const std::string &script) {
    Collected messages;
    Program program = program_of(launch, {"-w", "-p2", "-e", script});
    program.output = Stream::nothing();
    program.errors = Stream::collected(messages);
    const Outcome<Ending> ending = run_program(program, {{}, [] { return take_interrupt(); }});
    if (!ending) return reason(ending.fault());
    if (ending->good()) return "";
    return messages.text.empty() ? "the check ended " + ending->words() + "\n" : ended_line(std::move(messages.text));
}

void run_to_end(const Launch &launch, const std::string &script, const Show &show) {
    Program program = program_of(launch, {"-w", "-e", script});
    program.output = Stream::pipe();
    program.errors = Stream::with_output();
    Process process;
    if (const Outcome<void> started = process.start(program); !started) {
        show(reason(started.fault()));
        return;
    }
    char last = '\n';
    for (bool ended = false; !ended;) {
        // All output is there once it has ended.
        ended = process.reap() || process.ended();
        const std::string text = available_output(process, ended ? 0 : kLookMs);
        if (take_interrupt()) process.signal(SIGINT);
        if (text.empty()) continue;
        show(text);
        last = text.back();
    }
    if (last != '\n') show("\n");
    if (process.ending().signal) show("it ended " + process.ending().words() + "\n");
}

void Session::start(std::string script) {
    next_ = std::move(script);
    due_ = std::chrono::steady_clock::now() + kPause;
    stop_running();
}

void Session::stop_running() {
    if (!process_.alive() || stopped_) return;
    stopped_ = true;
    process_.signal(SIGINT);
}

bool Session::stop() {
    const bool some = next_ || process_.alive();
    next_.reset();
    stop_running();
    return some;
}

void Session::end() {
    stop();
    if (process_.started() && !process_.wait(kLongest)) process_.kill();
    process_.reap();
}

std::vector<int> Session::descriptors() const {
    if (process_.output_descriptor() < 0) return {};
    return {process_.output_descriptor()};
}

int Session::wait_ms() const {
    return next_ || process_.started() ? kLookMs : -1;
}

std::string Session::launch_next() {
    Program program = program_of(launch_, {"-w", "-e", *next_});
    next_.reset();
    stopped_ = false;
    program.output = Stream::pipe();
    program.errors = Stream::with_output();
    const Outcome<void> started = process_.start(program);
    return started ? "" : reason(started.fault());
}

std::string Session::news() {
    std::string news;
    if (process_.started()) {
        const bool ended = process_.reap() || process_.ended();
        output_ += available_output(process_, 0);
        const size_t lines = output_.rfind('\n') + 1;
        news = output_.substr(0, lines);
        output_.erase(0, lines);
        if (ended) {
            news += ended_line(std::move(output_));
            output_.clear();
            if (!stopped_)
                news += process_.ending().good() ? "the probes have ended\n"
                                                 : "the probes have ended " + process_.ending().words() + "\n";
            process_.forget();
        }
    }
    if (next_ && !process_.started() && std::chrono::steady_clock::now() >= due_) news += launch_next();
    return news;
}

}  // namespace tapir::interactive
