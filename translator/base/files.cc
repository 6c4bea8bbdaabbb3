// SPDX-License-Identifier: GPL-2.0-or-later
#include "build/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace tapir::build {

std::optional<std::string> read_file(const std::string &path) {
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return std::nullopt;
    std::string text;
    struct stat st {};
    if (fstat(fd, &st) == 0 && st.st_size > 0) text.reserve(static_cast<size_t>(st.st_size) + 1);
    char buffer[65536];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
        if (n > 0) text.append(buffer, static_cast<size_t>(n));
    close(fd);
    if (n < 0) return std::nullopt;
    return text;
}

std::string write_file(const std::string &path, std::string_view bytes, unsigned mode) {
    auto failed = [&] { return path + ": " + std::strerror(errno); };
    int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0) return failed();
    while (!bytes.empty()) {
        ssize_t n = write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            std::string why = failed();
            close(fd);
            return why;
        }
        bytes.remove_prefix(static_cast<size_t>(n));
    }
    return close(fd) == 0 ? "" : failed();
}

std::string make_directory(const std::string &parent, const std::string &prefix, std::string &why) {
    std::error_code ec;
    std::filesystem::create_directories(parent, ec);
    std::string path = parent + "/" + prefix + "XXXXXX";
    if (mkdtemp(path.data())) return path;
    why = parent + ": " + std::strerror(errno);
    return "";
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ec;
    if (!path_.empty()) std::filesystem::remove_all(path_, ec);
}

FileLock::FileLock(const std::string &path) : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (fd_ < 0) return;
    while (flock(fd_, LOCK_EX) != 0 && errno == EINTR) {
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

}  // namespace tapir::build
