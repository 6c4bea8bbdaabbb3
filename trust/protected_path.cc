// SPDX-License-Identifier: GPL-2.0-or-later
#include "protected_path.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tapir::trust {

namespace {

std::string resolve(const std::string &path) {
    std::unique_ptr<char, decltype(&free)> resolved(realpath(path.c_str(), nullptr), free);
    return resolved ? resolved.get() : "";
}

std::string unsafe(const std::string &path, const struct stat &info, uid_t owner) {
    const std::string name = "'" + (path.empty() ? "/" : path) + "' ";
    if (info.st_uid != owner)
        return name + "belongs to user " + std::to_string(info.st_uid) + ", not to " +
               (owner == 0 ? "root" : "user " + std::to_string(owner));
    if (info.st_mode & (S_IWGRP | S_IWOTH)) {
        char mode[8];
        snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode) & 07777u);
        return name + "can be written by others than its owner (mode " + mode + ")";
    }
    return {};
}

}  // namespace

Outcome<int> open_protected(const std::string &path, Kind kind, const Protection &protection) {
    const auto refuse = [](int fd, const std::string &text, FaultTag tag = FaultTag::PathUnsafe) {
        if (fd >= 0) close(fd);
        return Fault{tag, text};
    };
    const auto failed = [&refuse](int fd, const std::string &name) {
        const int error = errno;
        return refuse(fd, "'" + name + "': " + strerror(error),
                      error == ENOENT ? FaultTag::PathMissing : FaultTag::PathUnsafe);
    };
    const std::string resolved = resolve(path);
    if (resolved.empty()) return failed(-1, path);
    const std::string base = protection.base == "/" ? "" : resolve(protection.base);
    if (resolved.compare(0, base.size(), base) != 0 || resolved.size() <= base.size() || resolved[base.size()] != '/')
        return refuse(-1, "'" + resolved + "' is not below '" + protection.base + "'");

    struct stat info;
    int at = open(base.empty() ? "/" : base.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (at < 0 || fstat(at, &info) != 0) return failed(at, base);
    if (const std::string why = unsafe(base, info, protection.owner); !why.empty()) return refuse(at, why);
    for (size_t begin = base.size() + 1; begin < resolved.size();) {
        size_t end = resolved.find('/', begin);
        const bool last = end == std::string::npos;
        if (last) end = resolved.size();
        const std::string name = resolved.substr(begin, end - begin), so_far = resolved.substr(0, end);
        // Only the owner could replace the entry between the two calls, because the directory has been checked.
        if (fstatat(at, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return failed(at, so_far);
        if (const std::string why = unsafe(so_far, info, protection.owner); !why.empty()) return refuse(at, why);
        const bool directory = !last || kind == Kind::Directory;
        if (directory ? !S_ISDIR(info.st_mode) : !S_ISREG(info.st_mode))
            return refuse(at, "'" + so_far + "' is not a " + (directory ? "directory" : "regular file"));
        const int flags = last ? O_RDONLY | O_NONBLOCK : O_PATH;
        const int next = openat(at, name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | (directory ? O_DIRECTORY : 0));
        if (next < 0) return failed(at, so_far);
        close(at);
        at = next;
        begin = end + 1;
    }
    return at;
}

}  // namespace tapir::trust
