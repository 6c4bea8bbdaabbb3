// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace tapir {

const int kNotRegular = ENOTSUP;

namespace {

int open_if(const char *path, bool (*good)(mode_t)) {
    // Finds out the type first: opening a device can have an effect, and a pipe waits for its writer.
    const int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return -1;
    struct stat status = {};
    const bool known = fstat(place, &status) == 0;
    close(place);
    if (!known) return -1;
    if (!good(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : kNotRegular;
        return -1;
    }
    // Another one may be there by now.
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return -1;
    if (fstat(fd, &status) == 0 && good(status.st_mode)) {
        fcntl(fd, F_SETFL, 0);
        return fd;
    }
    close(fd);
    errno = kNotRegular;
    return -1;
}

bool is_regular(mode_t mode) {
    return S_ISREG(mode);
}

bool is_regular_or_pipe(mode_t mode) {
    return S_ISREG(mode) || S_ISFIFO(mode);
}

}  // namespace

int open_regular(const char *path) {
    return open_if(path, is_regular);
}

int open_text(const char *path) {
    const std::string_view name(path);
    const bool is_open = name == "/dev/stdin" || name.starts_with("/dev/fd/") ||
                         (name.starts_with("/proc/") && name.find("/fd/") != std::string_view::npos);
    return open_if(path, is_open ? is_regular_or_pipe : is_regular);
}

std::string file_error(int error) {
    if (error == kNotRegular) return "it is not a regular file";
    if (error == EFBIG) return "it is too large";
    return std::strerror(error);
}

}  // namespace tapir
