// SPDX-License-Identifier: GPL-2.0-or-later
#include "remote/sink.h"

#include <cerrno>

#include "common/patient_write.h"

namespace tapir::remote {

void Sink::add(std::string_view text) {
    if (!error_) queue_ += text;
}

void Sink::set_broken(int error) {
    if (!error_) error_ = error;
    queue_.clear();
}

void Sink::write() {
    size_t done = 0;
    while (done < queue_.size()) {
        const ssize_t got = write_at_once(fd_, std::string_view(queue_).substr(done));
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) break;
        if (got < 0) return set_broken(errno);
        done += static_cast<size_t>(got);
    }
    queue_.erase(0, done);
}

}  // namespace tapir::remote
