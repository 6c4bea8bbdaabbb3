// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/fleet.h"

#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>

#include "common/activity.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/quoting.h"
#include "remote/builds.h"
#include "remote/equal_lines.h"
#include "remote/host_lines.h"
#include "remote/remote_session.h"
#include "remote/sink.h"

namespace tapir::remote {
namespace {

constexpr int kSocketPollMs = 20;  // how often is looked whether a connection has been made
constexpr int kIdleMs = 1000;
constexpr std::chrono::seconds kFresh{2};  // a host that answers has been asked by then
constexpr int kLastSeconds = 3;            // for ssh to end when it was told to
constexpr size_t kFew = 20;                // so many hosts have a line each for what they say and how they ended

// The signals that ask for the end, and SIGCHLD, as something to poll. Those of the terminal are ignored by the
// processes that are started: this one tells the hosts.
class Signals {
  public:
    Signals() {
        sigemptyset(&set_);
        for (int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
            sigaddset(&set_, number);
        sigprocmask(SIG_BLOCK, &set_, &old_mask_);
        struct sigaction ignore = {};
        ignore.sa_handler = SIG_IGN;
        for (size_t i = 0; i < std::size(kIgnored); ++i)
            sigaction(kIgnored[i], &ignore, &old_[i]);
        // An inherited "ignore" would have the children's status thrown away.
        struct sigaction usual = {};
        usual.sa_handler = SIG_DFL;
        sigaction(SIGCHLD, &usual, &old_child_);
        fd_ = signalfd(-1, &set_, SFD_NONBLOCK | SFD_CLOEXEC);
    }
    ~Signals() {
        close(fd_);
        for (size_t i = 0; i < std::size(kIgnored); ++i)
            sigaction(kIgnored[i], &old_[i], nullptr);
        sigaction(SIGCHLD, &old_child_, nullptr);
        sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
    }
    Signals(const Signals &) = delete;
    Signals &operator=(const Signals &) = delete;

    int descriptor() const { return fd_; }
    // The next one that came, 0 when there is none left.
    int take() const {
        signalfd_siginfo info;
        return read(fd_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
    }

  private:
    static constexpr int kIgnored[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
    int fd_ = -1;
    sigset_t set_, old_mask_;
    struct sigaction old_[std::size(kIgnored)], old_child_;
};

// A few descriptors for each host; what a shell allows by default is too little for a few hundred.
void allow_descriptors() {
    rlimit limit = {};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? 65536 : std::min<rlim_t>(limit.rlim_max, 65536);
    setrlimit(RLIMIT_NOFILE, &limit);
}

std::string random_token() {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return {};
    return to_hex(bytes, sizeof bytes);
}

// ssh makes sockets in it with names up to 30 bytes longer, and a socket's path has 107 bytes at most.
Outcome<std::string> make_socket_directory() {
    constexpr size_t kLongest = 60;
    const std::string root = temporary_root();
    return make_directory(root.size() <= kLongest && is_plain_path(root) ? root : "/tmp", "tapir-ssh");
}

std::vector<std::string> names_of(const std::vector<Host> &hosts) {
    std::vector<std::string> names;
    for (const Host &host : hosts)
        names.push_back(host.uri);
    return names;
}

class Fleet {
  public:
    Fleet(const std::vector<Host> &hosts, const FleetOptions &options)
        : options_(options),
          output_(options.output),
          errors_(options.errors),
          equal_(errors_, names_of(hosts)),
          builds_(options, errors_, output_, hosts.size() > 1) {
        result_.hosts.resize(hosts.size());
        const bool several = hosts.size() > 1, many = hosts.size() > kFew;
        EqualLines *const equal = several && (many || options.take) ? &equal_ : nullptr;
        for (size_t i = 0; i < hosts.size(); ++i)
            sessions_.push_back(std::make_unique<Session>(
                i, hosts[i], Surroundings{options_, builds_, output_, errors_, equal, machines_, several}));
    }

    FleetResult run();

  private:
    bool all_ended() const;
    bool over() const;
    void start_some();
    void wait();
    void look_at_sessions();
    void take_signals();
    void stop(int signal);
    void check_output();
    void tell_stage();

    const FleetOptions &options_;
    Signals signals_;
    Sink output_, errors_;
    EqualLines equal_;
    Builds builds_;
    Machines machines_;
    std::vector<std::unique_ptr<Session>> sessions_;
    FleetResult result_;
    size_t first_ = 0;      // the session whose turn it is
    bool is_full_ = false;  // no further host may begin
    int stops_ = 0;
    Clock::time_point end_by_ = Clock::time_point::max();
    std::optional<Activity> activity_;
    Stage told_ = Stage::Ended;
};

// Tells the stage of the slowest host, until output may come.
void Fleet::tell_stage() {
    Stage stage = Stage::Running;
    uint64_t bytes = 0;
    size_t hosts = 0;
    for (const auto &session : sessions_) {
        if (session->stage() >= Stage::Leaving) continue;
        // Those that wait for others to end tell nothing of how far these are.
        if (session->stage() == Stage::Waiting && is_full_) continue;
        stage = std::min(stage, session->stage());
        bytes += session->bytes_to_copy();
        ++hosts;
    }
    if (hosts == 0 || !output_.empty() || !errors_.empty()) stage = Stage::Ended;
    if (stage == told_) return;
    told_ = stage;
    activity_.reset();
    const std::string number = std::to_string(hosts) + (hosts == 1 ? " host" : " hosts");
    // ssh may ask for a password while it connects.
    if (stage <= Stage::Asking && !options_.interactive) activity_.emplace("connecting to " + number);
    if (stage == Stage::Building) activity_.emplace("building for " + number);
    if (stage == Stage::Copying)
        activity_.emplace("copying " + std::to_string((bytes + 999) / 1000) + " kB to " + number);
}

bool Fleet::all_ended() const {
    return std::all_of(sessions_.begin(), sessions_.end(), [](const auto &s) { return s->ended(); });
}

bool Fleet::over() const {
    return output_.empty() && errors_.empty() && all_ended();
}

void Fleet::start_some() {
    const Clock::time_point recent = Clock::now() - kFresh;
    unsigned making = 0, fresh = 0, held = 0;
    for (const auto &session : sessions_) {
        if (session->stage() != Stage::Waiting && !session->gone()) ++held;
        if (!session->is_connecting()) continue;
        ++making;
        if (session->begun() > recent) ++fresh;
    }
    for (const auto &session : sessions_) {
        if (fresh >= std::max(1u, options_.connections_at_once) || making >= std::max(1u, options_.connections_most) ||
            held >= std::max(1u, options_.width))
            break;
        if (session->stage() != Stage::Waiting) continue;
        session->connect();
        ++making;
        ++fresh;
        ++held;
    }
    is_full_ = held >= std::max(1u, options_.width);
}

void Fleet::wait() {
    std::vector<pollfd> watched = {{signals_.descriptor(), POLLIN, 0}};
    // Not asked for anything, poll() tells whether the reader has gone.
    for (const Sink *sink : {&output_, &errors_})
        watched.push_back(
            {sink->error() ? -1 : sink->descriptor(), static_cast<short>(sink->empty() ? 0 : POLLOUT), 0});
    const auto watch = [&](Process &process, bool reading) {
        if (!process.started()) return;
        watched.push_back({process.input_descriptor(), POLLOUT, 0});
        watched.push_back({reading ? process.output_descriptor() : -1, POLLIN, 0});
        watched.push_back({reading ? process.errors_descriptor() : -1, POLLIN, 0});
    };
    const bool reading = !output_.full() && !errors_.full();
    auto until = std::min(end_by_, equal_.deadline());
    int at_most = kIdleMs;
    for (const auto &session : sessions_) {
        if (session->ended()) continue;
        for (Process *process : session->processes())
            watch(*process, reading);
        until = std::min(until, session->deadline());
        if (session->stage() == Stage::Connecting) at_most = kSocketPollMs;
    }
    for (Process *process : builds_.processes())
        watch(*process, true);
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count() + 1;
    poll(watched.data(), watched.size(), static_cast<int>(std::clamp<long>(left, 0, at_most)));
    constexpr short kGone = POLLERR | POLLHUP | POLLNVAL;
    if (watched[1].revents & kGone) output_.set_broken(EPIPE);
    if (watched[2].revents & kGone) errors_.set_broken(EPIPE);
    if (watched[1].revents & POLLOUT) output_.write();
    if (watched[2].revents & POLLOUT) errors_.write();
}

// When the reader is slow there may be room for the output of one only: next time it is the turn of the one after it.
void Fleet::look_at_sessions() {
    bool taken = false;
    const size_t first = first_;
    for (size_t i = 0; i < sessions_.size(); ++i) {
        const size_t number = (first + i) % sessions_.size();
        sessions_[number]->look();
        if (taken || !sessions_[number]->took_output()) continue;
        taken = true;
        first_ = (number + 1) % sessions_.size();
    }
    equal_.look(Clock::now());
    if (all_ended()) equal_.end();
}

void Fleet::stop(int signal) {
    ++stops_;
    if (!result_.interrupted && signal) result_.interrupted = signal;
    builds_.cancel();
    for (const auto &session : sessions_)
        session->stop(stops_, signal == SIGINT ? "INT" : "TERM");
    if (stops_ < kLastStop) return;
    // A user who wants to leave does not wait for a reader either.
    output_.drop();
    errors_.drop();
    equal_.drop();
}

void Fleet::take_signals() {
    for (int number; (number = signals_.take()) != 0;)
        if (number != SIGCHLD) stop(number);
}

// Ends the script on all hosts when its output has no reader any more.
void Fleet::check_output() {
    if (output_.error() && !result_.output_error) {
        result_.output_error = output_.error();
        stop(0);
        end_by_ = Clock::now() + std::chrono::seconds(options_.end_seconds);
    }
    if (Clock::now() < end_by_) return;
    end_by_ = Clock::time_point::max();
    stops_ = std::max(stops_, kLastStop - 1);
    stop(0);
}

FleetResult Fleet::run() {
    const Outcome<std::string> made = make_socket_directory();
    const TemporaryDirectory sockets(made ? *made : "");
    const std::string token = random_token();
    std::string why = made ? "" : made.fault().message();
    if (token.empty()) why = "there are no random numbers";
    for (const auto &session : sessions_)
        session->prepare(sockets.path(), token, why);
    while (!over()) {
        start_some();
        wait();
        take_signals();
        builds_.look();
        look_at_sessions();
        check_output();
        tell_stage();
    }
    activity_.reset();
    // Connections are held by processes that have been told to end.
    const auto until = Clock::now() + std::chrono::seconds(kLastSeconds);
    while (Clock::now() < until &&
           std::any_of(sessions_.begin(), sessions_.end(), [](const auto &s) { return s->still_there(); })) {
        pollfd signal = {signals_.descriptor(), POLLIN, 0};
        poll(&signal, 1, 50);
        take_signals();
    }
    for (size_t i = 0; i < sessions_.size(); ++i)
        result_.hosts[i] = sessions_[i]->result();
    sessions_.clear();
    return result_;
}

}  // namespace

FleetResult run_fleet(const std::vector<Host> &hosts, const FleetOptions &options) {
    allow_descriptors();
    return Fleet(hosts, options).run();
}

std::string render_result(const std::vector<Host> &hosts, const FleetResult &result, bool all) {
    all = all || hosts.size() <= kFew;
    size_t name = 0, kernel = 1;
    for (size_t i = 0; i < hosts.size(); ++i) {
        if (!all && result.hosts[i].good()) continue;
        name = std::max(name, printable_width(hosts[i].uri));
        kernel = std::max(kernel, printable_width(result.hosts[i].kernel));
    }
    const auto padded = [](const std::string &text, size_t width) {
        return printable(text) + std::string(width - std::min(width, printable_width(text)), ' ');
    };
    const auto failed =
        std::count_if(result.hosts.begin(), result.hosts.end(), [](const auto &host) { return !host.good(); });
    std::string text = std::to_string(hosts.size()) + (hosts.size() == 1 ? " host, " : " hosts, ") +
                       (failed ? std::to_string(failed) + " failed" : "all well") + ":\n";
    for (size_t i = 0; i < hosts.size(); ++i) {
        const HostResult &host = result.hosts[i];
        if (!all && host.good()) continue;
        text += "  " + padded(hosts[i].uri, name) + "  " + padded(host.kernel.empty() ? "-" : host.kernel, kernel) +
                "  " +
                (!host.good()        ? "failed: " + printable(host.problem)
                 : host.note.empty() ? "ok"
                                     : "left out: " + printable(host.note)) +
                "\n";
    }
    return text;
}

}  // namespace tapir::remote
