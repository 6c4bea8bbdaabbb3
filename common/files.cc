// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common/interruption.h"
#include "common/regular_file.h"

namespace tapir {

int read_descriptor(int fd, size_t limit, std::string &content) {
    content.clear();
    char chunk[65536];
    for (;;) {
        const ssize_t got = read(fd, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return 0;
        const size_t room = limit - content.size();
        content.append(chunk, std::min(static_cast<size_t>(got), room));
        if (static_cast<size_t>(got) > room) return EFBIG;
    }
}

int read_file(const char *path, size_t limit, std::string &content) {
    const int fd = open_text(path);
    if (fd < 0) return errno;
    const int error = read_descriptor(fd, limit, content);
    close(fd);
    return error;
}

std::optional<std::string> read_file(const std::string &path) {
    // A sparse file may be larger than all memory, and cost nothing.
    struct stat status = {};
    std::string text;
    const bool huge =
        stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) > kMaxFile;
    const int error = huge ? EFBIG : read_file(path.c_str(), kMaxFile, text);
    if (!error) return text;
    errno = error;
    return std::nullopt;
}

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return false;
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return true;
}

Outcome<void> write_file(const std::string &path, std::string_view bytes, unsigned mode) {
    const auto failed = [&] { return Fault{FaultTag::FileUnwritable, path + ": " + std::strerror(errno)}; };
    int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0) return failed();
    if (!write_all(fd, bytes)) {
        const Fault why = failed();
        close(fd);
        return why;
    }
    return close(fd) == 0 ? Outcome<void>() : failed();
}

bool replace_file(const std::string &path, std::string_view bytes) {
    std::string temporary = path + ".XXXXXX";
    int fd = mkostemp(temporary.data(), O_CLOEXEC);
    if (fd < 0) return false;
    bool good = write_all(fd, bytes) && fchmod(fd, 0644) == 0;
    good = close(fd) == 0 && good;
    if (good && rename(temporary.c_str(), path.c_str()) == 0) return true;
    int reason = errno;
    unlink(temporary.c_str());
    errno = reason;
    return false;
}

bool is_directory(const std::string &path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

bool is_file(const std::string &path) {
    struct stat status;
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string temporary_root() {
    const char *path = std::getenv("TMPDIR");
    return path && *path ? path : "/tmp";
}

Outcome<std::string> make_directory(const std::string &parent, const std::string &prefix) {
    std::error_code ec;
    std::filesystem::create_directories(parent, ec);
    std::string path = parent + "/" + prefix + "XXXXXX";
    if (make_remembered(path)) return path;
    return Fault{FaultTag::FileUnwritable, parent + ": " + std::strerror(errno)};
}

TemporaryDirectory::TemporaryDirectory(std::string path) : path_(std::move(path)) {
    if (!path_.empty()) remember_directory(path_);
}

TemporaryDirectory::~TemporaryDirectory() {
    if (path_.empty()) return;
    std::error_code ec;
    std::filesystem::remove_all(path_, ec);
    forget_directory(path_);
}

void TemporaryDirectory::release() {
    if (!path_.empty()) forget_directory(path_);
    path_.clear();
}

FileLock::FileLock(const std::string &path, bool wait) : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    while (fd_ >= 0 && flock(fd_, wait ? LOCK_EX : LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        close(fd_);
        fd_ = -1;
    }
}

FileLock::~FileLock() {
    if (fd_ >= 0) close(fd_);
}

std::string file_identity(const std::string &path) {
    char real[PATH_MAX];
    struct stat st {};
    if (!realpath(path.c_str(), real) || stat(real, &st) != 0) return "";
    return std::string(real) + " " + std::to_string(st.st_size) + " " + std::to_string(st.st_mtim.tv_sec) + "." +
           std::to_string(st.st_mtim.tv_nsec);
}

}  // namespace tapir
