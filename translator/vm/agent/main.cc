// SPDX-License-Identifier: GPL-2.0-or-later
// Process 1 of a stap-vm guest: prepares the file system, then runs the commands the host sends, one at a time.
// Nothing here may end the process: the kernel panics without process 1, which is also how a fatal error is reported.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "vm/agent/command.h"
#include "vm/agent/config.h"
#include "vm/agent/mounts.h"
#include "vm/agent/ports.h"
#include "vm/agent/stream.h"

namespace tapir::vm::agent {
namespace {

constexpr int alive_ms = 2000;

class Agent {
  public:
    explicit Agent(const Ports &ports);
    [[noreturn]] void serve();

  private:
    bool running() const { return child_.pid > 0 || ended_; }
    void wait_for_events();
    void on_control();
    void on_run(const std::string &payload);
    void on_signal(const std::string &payload);
    void reap();
    void pump(Stream &stream, short ready_from, short ready_to);
    void pump_stdin(short ready_from, short ready_to);
    void close_stdin();
    void forward_kernel_log();
    void finish();
    void say_alive();

    Ports ports_;
    FrameReader control_;
    int signals_;
    int kernel_log_;
    Started child_;
    uint32_t status_ = 0;
    bool ended_ = false;  // the command itself has; its output may still be on the way
    Stream in_, out_, err_;
    uint64_t stdin_end_ = UINT64_MAX;
    timespec last_alive_{};
};

Agent::Agent(const Ports &ports) : ports_(ports) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    signals_ = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    signal(SIGPIPE, SIG_IGN);
    kernel_log_ = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (kernel_log_ >= 0) lseek(kernel_log_, 0, SEEK_END);
    in_.from = ports_.in;
    out_.to = ports_.out;
    err_.to = ports_.err;
}

void Agent::on_run(const std::string &payload) {
    Command command;
    status_ = 0;
    ended_ = false;
    stdin_end_ = UINT64_MAX;
    in_.clear();
    const Outcome<Started> started =
        parse_run(payload, command) ? start(command) : Fault{FaultTag::ProgramNotStarted, "malformed Run frame"};
    if (started) {
        child_ = *started;
        // The rest of an earlier command's input is not for this one.
        while (in_.bytes_in() < command.header.stdin_start) {
            pollfd entry{ports_.in, POLLIN, 0};
            poll(&entry, 1, 1000);
            if (!in_.fill(command.header.stdin_start - in_.bytes_in())) break;
            in_.clear();
        }
        in_.to = child_.in;
        out_.from = child_.out;
        err_.from = child_.err;
        if (child_.pid > 0) return;
        status_ = static_cast<uint32_t>(child_.status) << 8;
        ended_ = true;
        return;
    }
    send_text(ports_, FrameType::Failed, started.fault().text);
    status_ = 126 << 8;
    ended_ = true;
    finish();
}

void Agent::on_signal(const std::string &payload) {
    SignalPayload signal;
    if (payload.size() != sizeof signal || !running() || ended_) return;
    memcpy(&signal, payload.data(), sizeof signal);
    kill(signal.group ? -child_.pid : child_.pid, signal.signal);
}

void Agent::on_control() {
    if (!control_.fill(ports_.control)) return;
    FrameType type;
    std::string payload;
    while (control_.next(type, payload)) {
        if (type == FrameType::Run && !running()) {
            on_run(payload);
        } else if (type == FrameType::Signal) {
            on_signal(payload);
        } else if (type == FrameType::WindowSize && payload.size() == sizeof(WindowSizePayload)) {
            WindowSizePayload size;
            memcpy(&size, payload.data(), sizeof size);
            winsize terminal{size.rows, size.columns, 0, 0};
            if (child_.in >= 0) ioctl(child_.in, TIOCSWINSZ, &terminal);
        } else if (type == FrameType::StdinEnd && payload.size() == sizeof stdin_end_) {
            memcpy(&stdin_end_, payload.data(), sizeof stdin_end_);
        }
    }
}

// Collects all ended processes, also children of others. Once the command itself has ended, it kills the others,
// so that the next one finds a quiet machine and the streams reach their ends.
void Agent::reap() {
    signalfd_siginfo information;
    while (read(signals_, &information, sizeof information) > 0) {
    }
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid != child_.pid || ended_) continue;
        status_ = status;
        ended_ = true;
        kill(-1, SIGKILL);
    }
}

void Agent::pump(Stream &stream, short ready_from, short ready_to) {
    if (ready_to & (POLLOUT | POLLERR)) stream.drain();
    if (stream.wants_input() && (ready_from & (POLLIN | POLLHUP | POLLERR))) {
        if (stream.fill()) {
            stream.drain();
        } else {
            close(stream.from);
            stream.from = -1;
        }
    }
}

void Agent::close_stdin() {
    if (in_.to < 0) return;
    // A terminal has no end of file of its own; ^D at the start of a line is what programs on it see as one.
    if (child_.in == in_.to && err_.from < 0 && out_.from >= 0) {
        if (stdin_end_ != UINT64_MAX) write(in_.to, "\004", 1);
        stdin_end_ = UINT64_MAX;
        return;
    }
    close(in_.to);
    in_.to = child_.in = -1;
}

void Agent::pump_stdin(short ready_from, short ready_to) {
    if ((ready_to & (POLLOUT | POLLERR)) && !in_.drain()) close_stdin();
    if (in_.to >= 0 && in_.wants_input() && (ready_from & POLLIN)) {
        in_.fill(stdin_end_ - in_.bytes_in());
        if (!in_.drain()) close_stdin();
    }
    if (in_.empty() && in_.bytes_in() >= stdin_end_) close_stdin();
}

void Agent::forward_kernel_log() {
    char record[8192];
    while (kernel_log_ >= 0) {
        ssize_t length = read(kernel_log_, record, sizeof record);
        if (length > 0)
            send_frame(ports_, FrameType::KernelLog, record, length);
        else if (length == 0 ||
                 (errno != EPIPE && errno != EINTR))  // EPIPE: records were overwritten, go on after them
            break;
    }
}

// Reports the end once everything the command wrote has been sent.
void Agent::finish() {
    if (!ended_ || out_.from >= 0 || err_.from >= 0 || !out_.empty() || !err_.empty()) return;
    if (child_.in >= 0) close(child_.in);
    in_.to = -1;
    in_.clear();
    forward_kernel_log();
    ExitPayload payload{status_, 0, out_.bytes_out(), err_.bytes_out()};
    child_ = Started();
    ended_ = false;
    send_frame(ports_, FrameType::Exit, &payload, sizeof payload);
}

void Agent::say_alive() {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t elapsed = (now.tv_sec - last_alive_.tv_sec) * 1000 + (now.tv_nsec - last_alive_.tv_nsec) / 1000000;
    if (elapsed < alive_ms) return;
    last_alive_ = now;
    send_frame(ports_, FrameType::Alive, "", 0);
}

void Agent::wait_for_events() {
    pollfd entries[] = {
        {ports_.control, POLLIN, 0},
        {signals_, POLLIN, 0},
        {kernel_log_, POLLIN, 0},
        {in_.to >= 0 && in_.wants_input() ? in_.from : -1, POLLIN, 0},
        {in_.wants_output() ? in_.to : -1, POLLOUT, 0},
        {out_.wants_input() ? out_.from : -1, POLLIN, 0},
        {out_.wants_output() ? out_.to : -1, POLLOUT, 0},
        {err_.wants_input() ? err_.from : -1, POLLIN, 0},
        {err_.wants_output() ? err_.to : -1, POLLOUT, 0},
    };
    if (poll(entries, std::size(entries), alive_ms) < 0) return;
    if (entries[1].revents) reap();
    if (entries[0].revents & POLLIN) on_control();
    if (entries[2].revents) forward_kernel_log();
    pump_stdin(entries[3].revents, entries[4].revents);
    pump(out_, entries[5].revents, entries[6].revents);
    pump(err_, entries[7].revents, entries[8].revents);
}

void Agent::serve() {
    for (;;) {
        wait_for_events();
        finish();
        say_alive();
    }
}

[[noreturn]] void give_up(const char *what) {
    int console = open("/dev/console", O_WRONLY);
    dprintf(console, "stap-vm-agent: %s\n", what);
    exit(1);
}

[[noreturn]] void run() {
    mount_essentials();
    Config config;
    if (!read_config(agent_config, config)) give_up("cannot read its configuration");
    std::string failures = insert_modules(config);
    Ports ports;
    if (!open_ports(ports, 60)) give_up(("no virtio ports; " + failures).c_str());
    send_frame(ports, FrameType::Hello, &protocol_version, sizeof protocol_version);
    const Outcome<void> entered = config.probe ? Outcome<void>() : enter_root(config);
    if (!entered) {
        send_text(ports, FrameType::Failed, failures + entered.fault().text);
        for (;;)
            pause();
    }
    Agent agent(ports);
    utsname names{};
    uname(&names);
    send_text(ports, FrameType::Ready, names.release);
    agent.serve();
}

}  // namespace
}  // namespace tapir::vm::agent

int main() {
    tapir::vm::agent::run();
}
