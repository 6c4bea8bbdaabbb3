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
#include <filesystem>
#include <set>

#include "common/descriptor.h"
#include "common/files.h"
#include "common/plain_text.h"
#include "common/regular_file.h"

namespace tapir::staprun {

namespace {

constexpr size_t kMostStatus = 1 << 16;

// Returns the number that a process has in the innermost of its PID namespaces, or 0 if it does not exist.
uint64_t own_number(const std::string &proc, uint32_t process) {
    std::string status;
    if (read_file(format("%s/%u/status", proc.c_str(), process).c_str(), kMostStatus, status)) return 0;
    const size_t line = status.find("\nNSpid:");
    if (line == std::string::npos) return process;
    const size_t end = status.find('\n', line + 1);
    const size_t last = status.find_last_of("\t ", end);
    return strtoull(status.c_str() + last + 1, nullptr, 10);
}

// The roots of the processes of a PID namespace, each once. They share a container, and outlive those that have ended.
std::vector<std::string> roots_of_space(const std::string &proc, uint32_t space) {
    std::vector<std::string> roots;
    std::set<std::pair<dev_t, ino_t>> seen;
    std::error_code error;
    const std::string wanted = format("pid:[%u]", space);
    for (std::filesystem::directory_iterator at(proc, error), end; at != end; at.increment(error)) {
        const std::string process = at->path().string(), number = at->path().filename().string();
        if (number.find_first_not_of("0123456789") != std::string::npos || roots.size() >= MadeCode::kMostRoots)
            continue;
        if (std::filesystem::read_symlink(process + "/ns/pid", error) != wanted) continue;
        struct stat status {};
        if (stat((process + "/root/.").c_str(), &status) == 0 && seen.insert({status.st_dev, status.st_ino}).second)
            roots.push_back(process + "/root");
    }
    return roots;
}

// Opens a regular file below a directory, without following links out of it. The file itself must not be a link. Checks
// the type before opening it for reading. Returns an empty descriptor with errno.
Descriptor open_map_below(const std::string &directory, const std::string &path) {
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

std::vector<MadeCode::Place> MadeCode::places_of(const Maker &maker) const {
    std::vector<Place> places;
    const auto add = [&places](const std::string &directory, const char *file, uint64_t number) {
        places.push_back({directory, format(file, static_cast<unsigned long long>(number))});
    };
    const std::string own = std::to_string(maker.process);
    if (const uint64_t number = own_number(proc_, maker.process); number && (!maker.own || number == maker.own))
        add(proc_ + "/" + own + "/root", "tmp/perf-%llu.map", number);
    else if (maker.own)
        for (const std::string &root : roots_of_space(proc_, maker.space))
            add(root, "tmp/perf-%llu.map", maker.own);
    // Also where the process lives: a user who may not look into its files may still read those of the same /tmp.
    add(tmp_, "perf-%llu.map", maker.process);
    if (maker.own && maker.own != maker.process) add(tmp_, "perf-%llu.map", maker.own);
    return places;
}

const PerfMap &MadeCode::map_of(const Maker &maker) {
    if (const auto found = maps_.find(maker.process); found != maps_.end()) return found->second;
    static const PerfMap kNone;
    if (maps_.size() >= kMostProcesses) return kNone;
    PerfMap &map = maps_[maker.process];
    for (const Place &place : places_of(maker)) {
        const Descriptor file = open_map_below(place.directory, place.path);
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
        Outcome<PerfMap> read = PerfMap::read(file.get(), path, maker.owner);
        if (read) {
            map = std::move(*read);
            break;
        }
        refusals_.push_back(read.fault().text);
    }
    return map;
}

std::string MadeCode::name(const Maker &maker, uint64_t address) {
    return std::string(map_of(maker).name(address));
}

}  // namespace tapir::staprun
