// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/plain_text.h"

namespace tapir::staprun {

Outcome<void> Daemon::begin() {
    const auto failed = [](const std::string &text) { return Fault{FaultTag::SetUpFailed, text}; };
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failed(format("Couldn't make a pipe: %s", strerror(errno)));
    pid_t child = fork();
    if (child < 0) return failed(format("Couldn't go to the background: %s", strerror(errno)));
    if (child == 0) {
        close(ends[0]);
        notify_ = ends[1];
        setsid();
        return {};
    }
    close(ends[1]);
    char word = 0;
    ssize_t got;
    do {
        got = read(ends[0], &word, 1);
    } while (got < 0 && errno == EINTR);
    if (got != 1) _exit(1);
    printf("%d\n", static_cast<int>(child));
    fflush(stdout);
    _exit(0);
}

void Daemon::ready(const std::string &log_file) {
    if (notify_ < 0) return;
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int log = open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(log >= 0 ? log : nothing, STDERR_FILENO);
    if (log >= 0) close(log);
    if (nothing > STDERR_FILENO) close(nothing);
    ssize_t ignored = write(notify_, "r", 1);
    (void)ignored;
    close(notify_);
    notify_ = -1;
}

}  // namespace tapir::staprun
