// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/file_below.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>

#include "common/regular_file.h"

namespace tapir::core {

namespace {

// openat2(2), for which the C library has no header.
struct OpenHow {
    uint64_t flags = 0, mode = 0, resolve = 0;
};
constexpr uint64_t kNoMagicLinks = 2, kInRoot = 16;

}  // namespace

Descriptor open_below(const std::string &root, const std::string &path) {
    if (path.empty() || path[0] != '/' || path.find('\0') != std::string::npos) {
        errno = EINVAL;
        return Descriptor();
    }
    if (root.empty()) return Descriptor(open_regular(path.c_str()));
    const Descriptor directory(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (directory.get() < 0) return Descriptor();
    OpenHow how;
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = kInRoot | kNoMagicLinks;
    const Descriptor place(static_cast<int>(syscall(SYS_openat2, directory.get(), path.c_str() + 1, &how, sizeof how)));
    struct stat status = {};
    if (place.get() < 0 || fstat(place.get(), &status) != 0) return Descriptor();
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : kNotRegular;
        return Descriptor();
    }
    // Opens the file that was just checked, even if its name means another one by now.
    const std::string link = "/proc/self/fd/" + std::to_string(place.get());
    return Descriptor(open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

std::string path_of_descriptor(int fd, const std::string &otherwise) {
    char path[PATH_MAX];
    const ssize_t length = readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
    return length > 0 && path[0] == '/' ? std::string(path, static_cast<size_t>(length)) : otherwise;
}

}  // namespace tapir::core
