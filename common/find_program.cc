// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/find_program.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "common/files.h"

namespace tapir {
namespace {

// 0, or the errno that running it would give.
int refusal(const std::string &file, bool follow) {
    struct stat status = {};
    if (fstatat(AT_FDCWD, file.c_str(), &status, follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0) return errno;
    if (!follow) return 0;
    if (!S_ISREG(status.st_mode)) return EACCES;
    return access(file.c_str(), X_OK) == 0 ? 0 : errno;
}

Fault not_found(const std::string &name, int error, const std::string &why) {
    errno = error;
    return {error == EACCES ? FaultTag::ProgramRefused : FaultTag::ProgramMissing,
            "cannot start '" + name + "': " + why, error == EACCES ? "" : "install it"};
}

}  // namespace

std::string search_path() {
    const char *path = std::getenv("PATH");
    return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

Outcome<std::string> find_program(const std::string &name, const ProgramSearch &where) {
    if (name.find('/') != std::string::npos) {
        const int error = refusal(name, true);
        if (error == 0) return name;
        return not_found(name, error, std::strerror(error));
    }
    // Set if a file exists but may not be executed. A directory that cannot be searched counts as empty.
    bool refused = false;
    std::string_view rest = where.path;
    for (;;) {
        const size_t colon = std::min(rest.find(':'), rest.size());
        const std::string directory(rest.substr(0, colon));
        const std::string file = where.root + (directory.empty() ? "." : directory) + "/" + name;
        const int error = name.empty() ? ENOENT : refusal(file, where.root.empty());
        if (error == 0) return file;
        refused = refused || (error == EACCES && is_file(file));
        if (colon == rest.size()) break;
        rest.remove_prefix(colon + 1);
    }
    if (refused) return not_found(name, EACCES, std::strerror(EACCES));
    return not_found(name, ENOENT, "it is in no directory of $PATH");
}

std::string program_beside(const std::string &name) {
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length <= 0) return {};
    const std::string program(self, static_cast<size_t>(length));
    const std::string beside = program.substr(0, program.rfind('/') + 1) + name;
    return access(beside.c_str(), X_OK) == 0 ? beside : std::string();
}

}  // namespace tapir
