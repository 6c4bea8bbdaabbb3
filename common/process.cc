// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/process.h"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "common/plain_text.h"

namespace tapir {
namespace {

constexpr size_t kChunk = 65536;

// Writes without SIGPIPE, even if its action is the default: a reader that has gone must not kill this process.
ssize_t write_unsignalled(int fd, std::string_view bytes) {
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    const ssize_t done = ::write(fd, bytes.data(), bytes.size());
    const int error = errno;
    const timespec at_once = {};
    if (done < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
        while (sigtimedwait(&pipe, nullptr, &at_once) < 0 && errno == EINTR) {
        }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return done;
}

// Waits until the process has ended or the time is over; only for some milliseconds where the kernel (before 5.3) or a
// sandbox has no such descriptors.
void wait_for_end(pid_t pid, int wait_ms) {
#ifdef SYS_pidfd_open
    const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
#else
    const Descriptor process;
#endif
    constexpr int kStep = 10;
    pollfd watched = {process.get(), POLLIN, 0};
    if (process.get() < 0) wait_ms = wait_ms < 0 ? kStep : std::min(wait_ms, kStep);
    poll(&watched, 1, wait_ms);
}

}  // namespace

std::string Ending::words() const {
    if (signal) return format("with signal %d (%s)", signal, strsignal(signal));
    return status ? format("with status %d", status) : "";
}

Ending ending_of(int wait_status) {
    if (WIFSIGNALED(wait_status)) return {0, WTERMSIG(wait_status)};
    return {WEXITSTATUS(wait_status), 0};
}

Outcome<void> Process::start(const Program &program) {
    ProgramStart start;
    if (Outcome<void> ready = start.prepare(program); !ready) return ready;
    const Outcome<pid_t> made = start.launch();
    if (!made) return made.fault();
    pid_ = *made;
    group_ = program.group != ProcessGroup::Shared;
    for (ProgramStart::PipeEnd &end : start.take_pipes()) {
        if (end.number == STDIN_FILENO)
            input_ = std::move(end.ours);
        else
            pipes_.push_back(std::move(end));
    }
    return {};
}

int Process::descriptor(int number) const {
    for (const ProgramStart::PipeEnd &end : pipes_)
        if (end.number == number) return end.ours.get();
    return -1;
}

void Process::send(const std::string &bytes) {
    own_ = std::string(pending_.substr(sent_)) + bytes;
    pending_ = own_;
    sent_ = 0;
}

void Process::send_view(std::string_view bytes) {
    pending_ = bytes;
    sent_ = 0;
}

void Process::end_input() {
    close_input_ = true;
    if (sent_ == pending_.size()) input_.reset();
}

size_t Process::write() {
    const size_t before = sent_;
    while (input_.get() >= 0 && sent_ < pending_.size()) {
        const ssize_t done = write_unsignalled(input_.get(), pending_.substr(sent_));
        if (done < 0 && errno == EINTR) continue;
        if (done < 0 && errno == EAGAIN) return sent_ - before;
        if (done < 0) {  // no reader: the program's ending will say more
            input_.reset();
            sent_ = pending_.size();
            return 0;
        }
        sent_ += static_cast<size_t>(done);
    }
    if (close_input_) input_.reset();
    return sent_ - before;
}

bool Process::read(int number, std::string &text) {
    const auto end =
        std::find_if(pipes_.begin(), pipes_.end(), [number](const auto &one) { return one.number == number; });
    if (end == pipes_.end() || end->ours.get() < 0) return false;
    char bytes[kChunk];
    const ssize_t got = ::read(end->ours.get(), bytes, sizeof bytes);
    if (got > 0) text.append(bytes, static_cast<size_t>(got));
    if (got > 0) return true;
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) end->ours.reset();
    return false;
}

bool Process::collect(int wait_ms) {
    std::vector<pollfd> watched;
    for (const ProgramStart::PipeEnd &end : pipes_)
        watched.push_back({end.into ? end.ours.get() : -1, POLLIN, 0});
    if (std::none_of(watched.begin(), watched.end(), [](const pollfd &one) { return one.fd >= 0; })) return false;
    if (poll(watched.data(), watched.size(), wait_ms) <= 0) return true;
    for (size_t i = 0; i < watched.size(); ++i) {
        if (watched[i].revents == 0) continue;
        Collected &into = *pipes_[i].into;
        std::string some;
        if (!read(pipes_[i].number, some)) continue;
        const size_t room = into.limit - std::min(into.limit, into.text.size());
        into.over = into.over || some.size() > room;
        into.text.append(some, 0, room);
    }
    return true;
}

void Process::take_ending(int wait_status) {
    ended_ = true;
    ending_ = ending_of(wait_status);
    input_.reset();
}

bool Process::reap() {
    if (!alive()) return false;
    int status = 0;
    const pid_t got = waitpid(pid_, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return false;
    take_ending(status);
    return true;
}

bool Process::wait(std::chrono::milliseconds at_most) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point until = Clock::now() + at_most;
    while (alive() && !reap()) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        if (at_most.count() >= 0 && left <= 0) return false;
        wait_for_end(pid_, at_most.count() < 0 ? -1 : static_cast<int>(std::min<long>(left, INT32_MAX)));
    }
    return true;
}

void Process::signal(int number) {
    if (alive()) ::kill(group_ ? -pid_ : pid_, number);
}

void Process::kill() {
    signal(SIGKILL);
    wait();
}

void Process::forget() {
    pipes_.clear();
    input_.reset();
    pid_ = 0;
    ended_ = close_input_ = false;
    ending_ = {};
    pending_ = {};
    sent_ = 0;
}

pid_t Process::release() {
    const pid_t pid = pid_;
    forget();
    return pid;
}

}  // namespace tapir
