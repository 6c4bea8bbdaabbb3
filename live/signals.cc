// SPDX-License-Identifier: GPL-2.0-or-later
#include "live/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace tapir::live {

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

volatile sig_atomic_t pipe_end = -1;

void pass_on(int signal) {
    const int before = errno;
    const auto byte = static_cast<char>(signal);
    if (pipe_end >= 0 && write(pipe_end, &byte, 1) < 0) errno = before;
    errno = before;
}

}  // namespace

Signals::Signals() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
    read_ = Descriptor(ends[0]);
    write_ = Descriptor(ends[1]);
    pipe_end = ends[1];
    // curses has handlers of its own for those that have none.
    struct sigaction action = {};
    action.sa_handler = pass_on;
    for (const int signal : kSignals)
        sigaction(signal, &action, nullptr);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, nullptr);
}

Signals::~Signals() {
    pipe_end = -1;
}

int Signals::next() {
    char byte = 0;
    return read(read_.get(), &byte, 1) == 1 ? byte : 0;
}

}  // namespace tapir::live
