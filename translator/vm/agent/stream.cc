// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/agent/stream.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>

namespace tapir::vm::agent {

bool Stream::fill(uint64_t limit) {
    ssize_t count = read(from, buffer_, std::min<uint64_t>(limit, sizeof buffer_));
    if (count > 0) {
        begin_ = 0;
        end_ = count;
        bytes_in_ += count;
        return true;
    }
    // A pseudo terminal says EIO when its last user has gone.
    return count < 0 && (errno == EAGAIN || errno == EINTR);
}

bool Stream::drain() {
    while (!empty()) {
        ssize_t count = write(to, buffer_ + begin_, end_ - begin_);
        if (count > 0) {
            begin_ += count;
            bytes_out_ += count;
        } else if (count < 0 && errno == EAGAIN) {
            return true;
        } else if (!(count < 0 && errno == EINTR)) {
            clear();
            return false;
        }
    }
    return true;
}

}  // namespace tapir::vm::agent
