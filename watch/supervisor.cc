// SPDX-License-Identifier: GPL-2.0-or-later
#include "watch/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/files.h"
#include "common/plain_text.h"

namespace tapir::watch {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// How often the size of a capture is looked at.
constexpr milliseconds kLook{30'000};
// How long sessions may take to end; afterwards they are killed.
constexpr seconds kEnd{60};

sigset_t watched_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGCHLD})
        sigaddset(&set, number);
    return set;
}

}  // namespace

std::string status_file(const std::string &folder) {
    return folder + "/status.json";
}

std::string lock_file(const std::string &folder) {
    return folder + "/.lock";
}

Supervisor::Supervisor(const Options &options) : options_(options) {
    for (const Wanted &wanted : options.tools)
        tools_.push_back(std::make_unique<WatchedTool>(wanted, options));
}

Outcome<void> Supervisor::prepare() {
    for (const Pressure &pressure : options_.on) {
        Outcome<Descriptor> watched = watch_pressure(pressure);
        if (!watched) return watched.fault();
        pressures_.push_back(std::move(*watched));
    }
    for (const auto &tool : tools_)
        if (const Outcome<void> good = tool->prepare(); !good) return good;
    const sigset_t set = watched_signals();
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = Descriptor(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (signals_.get() < 0)
        return Fault{FaultTag::ProgramNotStarted, std::string("signals cannot be waited for: ") + strerror(errno)};
    return {};
}

void Supervisor::take_signals() {
    signalfd_siginfo info;
    while (read(signals_.get(), &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGCHLD || stopping_) continue;
        stopping_ = true;
        stopped_at_ = Clock::now();
        for (const auto &tool : tools_)
            tool->stop();
    }
}

int Supervisor::patience(Clock::time_point now) const {
    milliseconds most = kLook;
    for (const auto &tool : tools_)
        if (const auto due = tool->due())
            most = std::min(most, std::chrono::ceil<milliseconds>(std::max(*due - now, Clock::duration::zero())));
    if (stopping_) most = std::min(most, milliseconds(1000));
    return static_cast<int>(most.count());
}

bool Supervisor::wait(Clock::time_point now) {
    std::vector<pollfd> all = {{signals_.get(), POLLIN, 0}};
    for (const Descriptor &pressure : pressures_)
        all.push_back({pressure.get(), POLLPRI, 0});
    for (const auto &tool : tools_)
        if (tool->descriptor() >= 0) all.push_back({tool->descriptor(), POLLIN, 0});
    if (poll(all.data(), all.size(), patience(now)) <= 0) return false;
    if (all[0].revents) take_signals();
    return std::any_of(all.begin() + 1, all.begin() + 1 + static_cast<std::ptrdiff_t>(pressures_.size()),
                       [](const pollfd &one) { return (one.revents & POLLPRI) != 0; });
}

void Supervisor::write_status() {
    bool changed = false;
    for (const auto &tool : tools_)
        changed |= tool->take_change();
    if (!changed) return;
    std::string text =
        format("{\"v\":1,\"pid\":%d,\"every\":%g,\"on\":[", getpid(), static_cast<double>(options_.every_ms) / 1000);
    for (const Pressure &pressure : options_.on)
        text += (&pressure == &options_.on.front() ? "\"" : ",\"") + pressure.text() + "\"";
    text += "],\"tools\":[";
    for (const auto &tool : tools_)
        text += (&tool == &tools_.front() ? "\n " : ",\n ") + tool->status();
    text += "]}\n";
    if (!replace_file(status_file(options_.folder), text))
        std::fprintf(stderr, "stap-watch: '%s' cannot be written: %s\n", status_file(options_.folder).c_str(),
                     strerror(errno));
}

int Supervisor::run() {
    bool pressed = false;
    for (;;) {
        const Clock::time_point now = Clock::now();
        bool all_ended = true;
        for (const auto &tool : tools_) {
            tool->attend(now);
            tool->look(now, pressed);
            if (stopping_ && now - stopped_at_ > kEnd) tool->kill();
            all_ended = all_ended && tool->ended();
        }
        write_status();
        if (all_ended) return 0;
        pressed = wait(Clock::now());
    }
}

}  // namespace tapir::watch
