// SPDX-License-Identifier: GPL-2.0-or-later
#include "standard_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace tapir::staprun {

namespace {

constexpr size_t kChunk = 256;

}  // namespace

void Input::begin() {
    file_ = open(to_.c_str(), O_WRONLY | O_CLOEXEC);
    terminal_ = file_ >= 0 && isatty(from_);
}

void Input::end() {
    if (saved_ && foreground()) tcsetattr(from_, TCSANOW, &before_);
    saved_ = false;
    if (file_ >= 0) close(file_);
    file_ = -1;
}

// Touching the terminal would stop a background job. tcgetpgrp(3) fails for another session's terminal, which has no
// such rule.
bool Input::foreground() const {
    pid_t group = tcgetpgrp(from_);
    return group < 0 || group == getpgrp();
}

// Also after a shell has put the terminal right, because staprun was stopped.
void Input::set_terminal() {
    termios now;
    if (tcgetattr(from_, &now) != 0 || !(now.c_lflag & (ICANON | ECHO))) return;
    before_ = now;
    saved_ = true;
    now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    tcsetattr(from_, TCSANOW, &now);
}

int Input::descriptor() {
    if (file_ < 0) return -1;
    if (terminal_) {
        if (!foreground()) return -1;
        set_terminal();
    }
    return from_;
}

void Input::take() {
    char bytes[kChunk];
    ssize_t got = read(from_, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) return end();
    for (ssize_t i = 0; i < got; i++) {
        // Fails when the probes are off again.
        if (write(file_, &bytes[i], 1) != 1) return end();
    }
}

}  // namespace tapir::staprun
