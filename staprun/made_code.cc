// SPDX-License-Identifier: GPL-2.0-or-later
#include "made_code.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "common/regular_file.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMostStatus = 1 << 16;

// The number that a process has for itself, in the innermost of its namespaces; 0: there is no such process.
uint64_t own_number(const std::string &proc, uint32_t process) {
    std::string status;
    if (read_file(format("%s/%u/status", proc.c_str(), process).c_str(), kMostStatus, status)) return 0;
    const size_t line = status.find("\nNSpid:");
    if (line == std::string::npos) return process;
    const size_t end = status.find('\n', line + 1);
    const size_t last = status.find_last_of("\t ", end);
    return strtoull(status.c_str() + last + 1, nullptr, 10);
}

// A regular file below a directory, which no link leads out of; the file itself is no link. It is only opened for
// reading when it is known what it is. None, with errno.
Descriptor open_below(const std::string &directory, const std::string &path) {
    const Descriptor root(open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (root.get() < 0) return Descriptor();
    open_how how = {};
    how.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC;
    how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
    const Descriptor place(static_cast<int>(syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how)));
    struct stat status {};
    if (place.get() < 0 || fstat(place.get(), &status)) return Descriptor();
    if (!S_ISREG(status.st_mode)) {
        errno = kNotRegular;
        return Descriptor();
    }
    return Descriptor(open(format("/proc/self/fd/%d", place.get()).c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

const PerfMap &MadeCode::map_of(uint32_t process, uid_t owner) {
    if (const auto found = maps_.find(process); found != maps_.end()) return found->second;
    static const PerfMap kNone;
    if (maps_.size() >= kMostProcesses) return kNone;
    PerfMap &map = maps_[process];
    // Also where the process lives: whoever may not look into its files may still read those of the same /tmp.
    struct Place {
        std::string directory, path;
    };
    std::vector<Place> places;
    if (const uint64_t own = own_number(proc_, process))
        places.push_back({format("%s/%u/root", proc_.c_str(), process),
                          format("tmp/perf-%llu.map", static_cast<unsigned long long>(own))});
    places.push_back({tmp_, format("perf-%u.map", process)});
    for (const Place &place : places) {
        const Descriptor file = open_below(place.directory, place.path);
        const std::string path = place.directory + "/" + place.path;
        if (file.get() < 0) {
            const bool absent = errno == ENOENT || errno == EACCES || errno == EPERM || errno == ENOSYS;
            if (!absent) refusals_.push_back(path + ": " + file_error(errno));
            continue;
        }
        struct stat status {};
        if (fstat(file.get(), &status) == 0)
            bytes_ += std::min(static_cast<uint64_t>(status.st_size), uint64_t{PerfMap::kMaxFile});
        if (bytes_ > kMostBytes) {
            refusals_.push_back(path + ": too many such files have been read");
            continue;
        }
        Outcome<PerfMap> read = PerfMap::read(file.get(), path, owner);
        if (read) {
            map = std::move(*read);
            break;
        }
        refusals_.push_back(read.fault().text);
    }
    return map;
}

std::string MadeCode::name(uint32_t process, uid_t owner, uint64_t address) {
    return std::string(map_of(process, owner).name(address));
}

}  // namespace tapir::staprun
