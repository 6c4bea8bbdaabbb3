// SPDX-License-Identifier: GPL-2.0-or-later
#include "server/memory_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <vector>

#include "common/files.h"

namespace fs = std::filesystem;

namespace tapir::server {
namespace {

constexpr char kPrefix[] = "tapir-server-";

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> out;
    std::istringstream in{std::string(text)};
    for (std::string part; std::getline(in, part, separator);)
        out.push_back(part);
    return out;
}

bool has(const std::vector<std::string> &words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Files of control groups take a value in one write, or refuse it.
Outcome<void> tell(const std::string &path, std::string_view text) {
    const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool done = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    if (fd >= 0) close(fd);
    if (done) return {};
    return Fault{FaultTag::SandboxFailed, path + ": " + std::strerror(error)};
}

Fault failed(const std::string &path) {
    return {FaultTag::SandboxFailed, path + ": " + std::strerror(errno)};
}

// Lets groups in that one have limits of memory.
Outcome<void> enable(const std::string &group) {
    const auto lists_memory = [](const std::string &file) {
        std::string now = read_file(file).value_or("");
        if (now.ends_with('\n')) now.pop_back();
        return has(split(now, ' '), "memory");
    };
    if (!lists_memory(group + "/cgroup.controllers"))
        return Fault{FaultTag::SandboxFailed, group + " has no controller for memory"};
    const std::string control = group + "/cgroup.subtree_control";
    return lists_memory(control) ? Outcome<void>() : tell(control, "+memory");
}

// A group and those in it. One that has processes stays.
void clear_away(const std::string &group) {
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(group, error))
        if (entry.is_directory(error)) rmdir(entry.path().c_str());
    rmdir(group.c_str());
}

// Removes groups of servers that have ended.
void sweep(const std::string &place) {
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(place, error)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(kPrefix)) continue;
        const char *digits = name.c_str() + sizeof kPrefix - 1;
        pid_t pid = 0;
        const auto [end, bad] = std::from_chars(digits, name.c_str() + name.size(), pid);
        if (bad == std::errc() && *end == '\0' && pid > 0 && kill(pid, 0) != 0 && errno == ESRCH)
            clear_away(entry.path());
    }
}

Outcome<void> divide(const std::string &place, const std::string &group) {
    // A group with limited groups in it may have no processes of its own.
    const std::string self = group + "/server";
    if (mkdir(self.c_str(), 0755) != 0) return failed(self);
    Outcome<void> outcome = tell(self + "/cgroup.procs", "0");
    if (outcome) outcome = enable(place);
    if (outcome) outcome = enable(group);
    if (!outcome) static_cast<void>(tell(place + "/cgroup.procs", "0"));
    return outcome;
}

}  // namespace

std::optional<Hierarchy> memory_hierarchy(std::string_view mounts, std::string_view groups) {
    // NUMBER:CONTROLLERS:PATH; version 2 has number 0 and no controllers, and those that no other hierarchy has.
    Hierarchy found;
    bool any = false;
    for (const std::string &line : split(groups, '\n')) {
        const size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const bool old = has(split(controllers, ','), "memory");
        if (!old && !(controllers.empty() && !any)) continue;
        found = {line.substr(second + 1), !old};
        any = true;
        if (old) break;
    }
    if (!any) return std::nullopt;
    // ID PARENT DEVICE ROOT POINT OPTIONS [FIELD...] - TYPE SOURCE OPTIONS
    for (const std::string &line : split(mounts, '\n')) {
        const size_t dash = line.find(" - ");
        if (dash == std::string::npos) continue;
        const std::vector<std::string> front = split(line.substr(0, dash), ' '),
                                       back = split(line.substr(dash + 3), ' ');
        if (front.size() < 5 || back.size() < 3) continue;
        if (found.unified ? back[0] != "cgroup2" : back[0] != "cgroup" || !has(split(back[2], ','), "memory")) continue;
        const std::string root = front[3] == "/" ? "" : front[3];
        const std::string rest = found.path == "/" ? "" : found.path;
        if (!rest.starts_with(root) || (rest.size() > root.size() && rest[root.size()] != '/')) continue;
        return Hierarchy{front[4] + rest.substr(root.size()), found.unified};
    }
    return std::nullopt;
}

MemoryGroup::MemoryGroup(std::string path, bool unified) : path_(std::move(path)), unified_(unified), entrance_(-1) {
    const int fd = open((path_ + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return;
    // Away from the numbers that a child gives to others.
    entrance_ = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    close(fd);
}

MemoryGroup::~MemoryGroup() {
    if (entrance_ >= 0) close(entrance_);
    // A process that is dead is in its group for a moment yet.
    for (int i = 0; i < 50 && rmdir(path_.c_str()) != 0 && errno == EBUSY; ++i)
        usleep(10000);
}

bool MemoryGroup::exceeded() const {
    const std::string text = read_file(path_ + (unified_ ? "/memory.events" : "/memory.oom_control")).value_or("");
    for (const std::string &line : split(text, '\n'))
        if (line.starts_with("oom_kill ")) return line != "oom_kill 0";
    return false;
}

Outcome<void> MemoryGroups::open(uid_t uid, gid_t gid) {
    const auto own =
        memory_hierarchy(read_file("/proc/self/mountinfo").value_or(""), read_file("/proc/self/cgroup").value_or(""));
    if (!own) return Fault{FaultTag::SandboxFailed, "no control groups for memory are mounted"};
    sweep(own->path);
    const std::string group = own->path + "/" + kPrefix + std::to_string(getpid());
    if (mkdir(group.c_str(), 0755) != 0) return failed(group);
    Outcome<void> outcome = own->unified ? divide(own->path, group) : Outcome<void>();
    std::vector<std::string> given = {group};
    if (own->unified) given.insert(given.end(), {group + "/cgroup.procs", group + "/cgroup.subtree_control"});
    for (const std::string &path : given)
        if (outcome && chown(path.c_str(), uid, gid) != 0) outcome = failed(path);
    if (!outcome) {
        clear_away(group);
        return outcome;
    }
    path_ = group;
    unified_ = own->unified;
    return {};
}

Outcome<std::unique_ptr<MemoryGroup>> MemoryGroups::make(uint64_t bytes) const {
    static std::atomic<uint64_t> number = 0;
    const std::string group = path_ + "/job-" + std::to_string(++number);
    if (mkdir(group.c_str(), 0755) != 0) return failed(group);
    auto made = std::make_unique<MemoryGroup>(group, unified_);
    const std::string limit = std::to_string(bytes);
    const Outcome<void> limited = tell(group + (unified_ ? "/memory.max" : "/memory.limit_in_bytes"), limit);
    // Kernels without swap do not have these.
    static_cast<void>(
        tell(group + (unified_ ? "/memory.swap.max" : "/memory.memsw.limit_in_bytes"), unified_ ? "0" : limit));
    if (unified_) static_cast<void>(tell(group + "/memory.oom.group", "1"));
    if (!limited) return limited.fault();
    if (made->entrance() < 0) return Fault{FaultTag::SandboxFailed, group + "/cgroup.procs cannot be opened"};
    return made;
}

}  // namespace tapir::server
