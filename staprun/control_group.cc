// SPDX-License-Identifier: GPL-2.0-or-later
#include "control_group.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/plain_text.h"

namespace tapir::staprun {

namespace {

// Opens a path below `root` even if links or ".." would lead elsewhere: a set-user-ID staprun must not reveal which
// other directories exist.
int open_below(const std::string &root, const std::string &path) {
    const int base = open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (base < 0) return -1;
    open_how how = {};
    how.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
    const int fd = static_cast<int>(syscall(SYS_openat2, base, path.c_str(), &how, sizeof how));
    const int error = errno;
    close(base);
    errno = error;
    return fd;
}

bool is_version_2(int fd) {
    struct statfs system = {};
    return fstatfs(fd, &system) == 0 && system.f_type == CGROUP2_SUPER_MAGIC;
}

// "/sys/fs/cgroup/a/b", "/a/b" and "a/b" -> "a/b"; "." is the root.
std::string below_root(const std::string &path, const std::string &root) {
    std::string rest = path == root || path.starts_with(root + "/") ? path.substr(root.size()) : path;
    rest.erase(0, rest.find_first_not_of('/'));
    return rest.empty() ? "." : rest;
}

// Where the hierarchies of version 1 are mounted, too, that of version 2 has a directory of its own among them.
int open_group(const std::string &path, const std::string &root) {
    int fd = open_below(root, path);
    if (fd >= 0 && is_version_2(fd)) return fd;
    const int error = errno;
    const int other = open_below(root + "/unified", path);
    if (other < 0) {
        errno = error;
        return fd;
    }
    if (fd >= 0) close(fd);
    return other;
}

}  // namespace

Outcome<void> limit_to_group(Control &control, const std::string &path, const std::string &root) {
    const auto refuse = [&](const std::string &why, const std::string &hint = "") {
        return Fault{FaultTag::SettingRefused, format("--cgroup: %s", why.c_str()), hint};
    };
    const std::string hint =
        "'cat /proc/PID/cgroup' shows the groups of a process; that behind '0::' can be given here";
    const std::string name = below_root(path, root), shown = root + "/" + name;
    const int fd = open_group(name, root);
    if (fd < 0 && errno == ENOTDIR) return refuse(format("'%s' is not a directory", shown.c_str()), hint);
    if (fd < 0 && errno == ENOENT) return refuse(format("there is no control group '%s'", shown.c_str()), hint);
    if (fd < 0 && errno == EXDEV)
        return refuse(format("'%s' leads out of %s, where control groups are", path.c_str(), root.c_str()), hint);
    if (fd < 0) return refuse(format("Couldn't open '%s': %s", shown.c_str(), strerror(errno)));
    if (!is_version_2(fd)) {
        close(fd);
        return refuse(format("'%s' is not a control group of version 2", shown.c_str()),
                      "'mount -t cgroup2 none DIRECTORY' makes that hierarchy available");
    }
    tapir_ioc_cgroup group = {};
    group.fd = fd;
    const int error = control.cgroup(group);
    close(fd);
    if (error == EOPNOTSUPP) return refuse("the kernel was built without control groups");
    if (error == ENOENT) return refuse(format("the control group '%s' has just been removed", shown.c_str()));
    if (error) return refuse(format("the module refuses '%s': %s", shown.c_str(), strerror(error)));
    return {};
}

}  // namespace tapir::staprun
