// SPDX-License-Identifier: GPL-2.0-or-later
#include "asked_commands.h"

#include <unistd.h>

#include <cerrno>

namespace tapir::staprun {

namespace {

constexpr size_t kLongest = 4096;  // of a command; MAXSTRINGLEN is less

}  // namespace

std::vector<std::string> Commands::take() {
    std::vector<std::string> lines;
    char bytes[kLongest];
    const ssize_t count = descriptor_ < 0 ? 0 : read(descriptor_, bytes, sizeof bytes);
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) return lines;
    if (count <= 0) {
        descriptor_ = -1;
        return lines;
    }
    rest_.append(bytes, static_cast<size_t>(count));
    for (size_t end; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1))
        if (end > 0 && end <= kLongest) lines.push_back(rest_.substr(0, end));
    if (rest_.size() > kLongest) rest_.resize(kLongest + 1);
    return lines;
}

}  // namespace tapir::staprun
