// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/sink.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tapir::remote {

void Sink::add(std::string_view text) {
    if (!error_) queue_ += text;
}

void Sink::set_broken(int error) {
    if (!error_) error_ = error;
    queue_.clear();
}

// The descriptor may block, and be shared with processes that rely on that. A pipe that poll() calls writable takes
// PIPE_BUF bytes.
void Sink::write() {
    size_t done = 0;
    while (done < queue_.size()) {
        pollfd ready = {fd_, POLLOUT, 0};
        if (poll(&ready, 1, 0) <= 0) break;
        const ssize_t got = ::write(fd_, queue_.data() + done, std::min<size_t>(queue_.size() - done, PIPE_BUF));
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) break;
        if (got < 0) return set_broken(errno);
        done += static_cast<size_t>(got);
    }
    queue_.erase(0, done);
}

}  // namespace tapir::remote
