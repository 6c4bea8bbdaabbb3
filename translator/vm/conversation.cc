// SPDX-License-Identifier: GPL-2.0-or-later
// One command's run: its streams, signals and end.
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "vm/guest.h"

namespace tapir::vm {
namespace {

constexpr auto grace = std::chrono::seconds(2);  // between SIGTERM and the guest's end
constexpr int patience = 4;                      // signals until the user is taken to mean it
constexpr char escape_key = 0x1d;                // Ctrl-]
constexpr size_t pipe_chunk = 4096;              // PIPE_BUF: writable without blocking once poll says so
constexpr size_t stdin_chunk = 65536;

}  // namespace

// From a port to a descriptor, or to a string. Reads no more before all is written.
struct PortSink {
    int port = -1, fd = -1;
    std::string *collected = nullptr;
    uint64_t *received = nullptr;  // since boot
    std::string pending;
    bool broken = false;  // the descriptor has no reader any more; the rest is dropped

    bool wants_input() const { return pending.empty(); }

    // Returns false when the reader has just gone.
    bool write_some() {
        ssize_t count = write(fd, pending.data(), std::min(pending.size(), pipe_chunk));
        if (count > 0) {
            pending.erase(0, count);
        } else if (errno != EAGAIN && errno != EINTR) {
            broken = true;
            pending.clear();
            return false;
        }
        return true;
    }

    bool read_some() {
        char chunk[65536];
        ssize_t count = read(port, chunk, sizeof chunk);
        if (count <= 0) return false;
        *received += count;
        if (collected)
            collected->append(chunk, count);
        else if (!broken)
            pending.assign(chunk, count);
        return true;
    }

    void read_rest() {
        do {
            while (!pending.empty())
                write_some();
        } while (read_some());
    }
};

class Conversation {
  public:
    Conversation(Guest &guest, const RunRequest &request) : guest_(guest), request_(request) {
        sinks_[0] = {guest.ports_[2], request.stdout_fd, nullptr, &guest.stdout_bytes_, "", false};
        sinks_[1] = {guest.ports_[3], request.stderr_fd, nullptr, &guest.stderr_bytes_, "", false};
        if (request.stdout_fd < 0) sinks_[0].collected = &result_.out;
        if (request.stderr_fd < 0) sinks_[1].collected = &result_.err;
        stdin_open_ = request.stdin_fd >= 0;
        if (request.timeout_s > 0) deadline_ = started_ + std::chrono::seconds(request.timeout_s);
    }

    RunResult run();

  private:
    using Clock = Guest::Clock;

    bool complete() const;
    void finish(RunEnd end) {
        result_.end = end;
        done_ = true;
        if (end != RunEnd::Exited) guest_.stop();
    }
    int next_wait_ms() const;
    void wait_for_events();
    void on_control();
    void on_signal();
    void on_stdin();
    void flush_stdin();
    void end_stdin();
    void check_clocks();
    void forward(int signal, bool group);
    void on_sink(PortSink &sink, short port_events, short fd_events);

    Guest &guest_;
    const RunRequest &request_;
    RunResult result_;
    PortSink sinks_[2];
    bool stdin_open_;
    std::string stdin_pending_;
    int escapes_ = 0;
    bool exit_seen_ = false, done_ = false, timed_out_ = false;
    ExitPayload exit_{};
    Clock::time_point started_ = Clock::now(), last_sign_ = started_, deadline_ = Clock::time_point::max();
    int signals_ = 0;
};

RunResult Guest::run(const RunRequest &request) {
    return Conversation(*this, request).run();
}

RunResult Conversation::run() {
    guest_.send_run(request_);
    while (!done_) {
        wait_for_events();
        if (done_) break;
        check_clocks();
        if (!done_ && complete()) {
            int status = static_cast<int>(exit_.status);
            result_.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            result_.end = timed_out_ ? RunEnd::TimedOut : RunEnd::Exited;
            done_ = true;
        }
    }
    return std::move(result_);
}

// The command has ended and all it wrote has been passed on.
bool Conversation::complete() const {
    return exit_seen_ && guest_.stdout_bytes_ >= exit_.stdout_bytes && guest_.stderr_bytes_ >= exit_.stderr_bytes &&
           sinks_[0].pending.empty() && sinks_[1].pending.empty();
}

void Conversation::forward(int signal, bool group) {
    SignalPayload payload{static_cast<uint32_t>(signal), group};
    guest_.send(FrameType::Signal, &payload, sizeof payload);
}

void Conversation::on_control() {
    // Frames may be complete even if the machine has gone since.
    bool there = guest_.receive_control();
    FrameType type;
    std::string payload;
    while (guest_.next_frame(type, payload)) {
        last_sign_ = Clock::now();
        if (type == FrameType::Exit && payload.size() == sizeof exit_) {
            memcpy(&exit_, payload.data(), sizeof exit_);
            exit_seen_ = true;
            stdin_open_ = false;
        } else if (type == FrameType::KernelLog && request_.kernel_log) {
            request_.kernel_log(payload);
        } else if (type == FrameType::Failed) {
            std::string text = "stap-vm: cannot start the command in the guest: " + payload + "\n";
            if (sinks_[1].collected)
                *sinks_[1].collected += text;
            else
                sinks_[1].pending += text;
        }
    }
    if (there || complete()) return;
    // The last output of a dying machine should still be seen.
    for (PortSink &sink : sinks_)
        sink.read_rest();
    finish(RunEnd::Died);
}

void Conversation::on_signal() {
    signalfd_siginfo information;
    if (read(request_.signal_fd, &information, sizeof information) != sizeof information) return;
    int signal = static_cast<int>(information.ssi_signo);
    if (signal == SIGWINCH) {
        winsize size;
        if (!request_.terminal || ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0) return;
        WindowSizePayload payload{size.ws_row, size.ws_col};
        guest_.send(FrameType::WindowSize, &payload, sizeof payload);
        return;
    }
    if (++signals_ >= patience) return finish(RunEnd::Interrupted);
    // A terminal's signal goes to its whole foreground group, one sent by kill to one process.
    forward(signal, information.ssi_code == SI_KERNEL);
}

void Conversation::end_stdin() {
    if (!stdin_open_) return;
    stdin_open_ = false;
    guest_.send(FrameType::StdinEnd, &guest_.stdin_bytes_, sizeof guest_.stdin_bytes_);
}

void Conversation::on_stdin() {
    char chunk[stdin_chunk];
    ssize_t count = read(request_.stdin_fd, chunk, sizeof chunk);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return end_stdin();
    if (request_.terminal) {
        for (ssize_t i = 0; i < count; ++i) {
            escapes_ = chunk[i] == escape_key ? escapes_ + 1 : 0;
            if (escapes_ >= 3) return finish(RunEnd::Interrupted);
        }
    }
    stdin_pending_.assign(chunk, count);
    flush_stdin();
}

void Conversation::flush_stdin() {
    ssize_t count = ::send(guest_.ports_[1], stdin_pending_.data(), stdin_pending_.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    guest_.stdin_bytes_ += count;
    stdin_pending_.erase(0, count);
}

void Conversation::on_sink(PortSink &sink, short port_events, short fd_events) {
    if (port_events) sink.read_some();
    // A pipe without a reader gives its writer SIGPIPE, as on one machine.
    if (fd_events && !sink.pending.empty() && !sink.write_some()) forward(SIGPIPE, true);
}

int Conversation::next_wait_ms() const {
    auto until = std::min(deadline_, last_sign_ + std::chrono::seconds(request_.hang_s));
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    return left < 0 ? 0 : static_cast<int>(std::min<int64_t>(left + 1, 1000));
}

void Conversation::wait_for_events() {
    bool read_stdin = stdin_open_ && stdin_pending_.empty();
    pollfd entries[] = {
        {guest_.ports_[0], POLLIN, 0},
        {request_.signal_fd, POLLIN, 0},
        {sinks_[0].wants_input() ? sinks_[0].port : -1, POLLIN, 0},
        {sinks_[0].pending.empty() ? -1 : sinks_[0].fd, POLLOUT, 0},
        {sinks_[1].wants_input() ? sinks_[1].port : -1, POLLIN, 0},
        {sinks_[1].pending.empty() ? -1 : sinks_[1].fd, POLLOUT, 0},
        {read_stdin ? request_.stdin_fd : -1, POLLIN, 0},
        {stdin_open_ && !stdin_pending_.empty() ? guest_.ports_[1] : -1, POLLOUT, 0},
    };
    if (poll(entries, std::size(entries), next_wait_ms()) <= 0) return;
    on_sink(sinks_[0], entries[2].revents, entries[3].revents);
    on_sink(sinks_[1], entries[4].revents, entries[5].revents);
    if (entries[0].revents) on_control();
    if (!done_ && entries[1].revents) on_signal();
    if (!done_ && entries[7].revents) flush_stdin();
    if (!done_ && entries[6].revents && stdin_open_) on_stdin();
}

void Conversation::check_clocks() {
    auto now = Clock::now();
    if (now > last_sign_ + std::chrono::seconds(request_.hang_s))
        return finish(timed_out_ ? RunEnd::TimedOut : RunEnd::Hung);
    if (now < deadline_ || exit_seen_) return;
    if (timed_out_) return finish(RunEnd::TimedOut);
    timed_out_ = true;
    deadline_ = now + grace;
    forward(SIGTERM, true);
}

}  // namespace tapir::vm
