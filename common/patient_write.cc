// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/patient_write.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace tapir {

// The descriptor may block, and be shared with processes that rely on that. A pipe or terminal that polls writable
// takes PIPE_BUF bytes at once.
ssize_t write_at_once(int fd, std::string_view data) {
    struct stat info = {};
    const mode_t kind = fstat(fd, &info) == 0 ? info.st_mode & S_IFMT : 0;
    if (kind == S_IFREG) return write(fd, data.data(), data.size());
    if (kind == S_IFSOCK) return send(fd, data.data(), data.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    const int flags = fcntl(fd, F_GETFL);
    if (flags >= 0 && (flags & O_NONBLOCK)) return write(fd, data.data(), data.size());
    pollfd ready = {fd, POLLOUT, 0};
    if (poll(&ready, 1, 0) == 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd, data.data(), std::min<size_t>(data.size(), PIPE_BUF));
}

WriteResult write_patiently(int fd, std::string_view data, const WaitWritable &wait, size_t &written) {
    written = 0;
    while (written < data.size()) {
        const ssize_t done = write_at_once(fd, data.substr(written));
        if (done > 0) {
            written += static_cast<size_t>(done);
        } else if (done == 0) {
            errno = ENOSPC;
            return WriteResult::Failed;
        } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
            if (!wait(fd)) return WriteResult::GaveUp;
        } else if (errno != EINTR) {
            return WriteResult::Failed;
        }
    }
    return WriteResult::Ok;
}

}  // namespace tapir
