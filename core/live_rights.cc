// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/live_rights.h"

#include <dirent.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

namespace tapir::core {

namespace {

// Returns a number of /proc/PID/status by its name, or -1.
int64_t status_number(pid_t pid, const std::string &name) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string word; status >> word;)
        if (int64_t value = 0; word == name && status >> value) return value;
    return -1;
}

// Returns the letter behind "State:" in the status of a thread.
char state_of(const std::string &directory) {
    std::ifstream status(directory + "/status");
    for (std::string word; status >> word;)
        if (char state = 0; word == "State:" && status >> state) return state;
    return 0;
}

std::string name_of(pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
    std::string name;
    std::getline(file, name);
    return name;
}

// The first one has all users under their own numbers.
bool is_first_user_namespace() {
    std::ifstream map("/proc/self/uid_map");
    uint64_t inside = 0, outside = 0, count = 0;
    return !(map >> inside >> outside >> count) || (inside == 0 && outside == 0 && count == UINT32_MAX);
}

int ptrace_scope() {
    std::ifstream file("/proc/sys/kernel/yama/ptrace_scope");
    int scope = 0;
    file >> scope;
    return scope;
}

}  // namespace

std::vector<pid_t> thread_ids_of(pid_t pid) {
    std::vector<pid_t> ids;
    DIR *list = opendir(("/proc/" + std::to_string(pid) + "/task").c_str());
    if (!list) return ids;
    while (const dirent *entry = readdir(list))
        if (const auto id = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)); id > 0) ids.push_back(id);
    closedir(list);
    return ids;
}

std::vector<pid_t> threads_of(pid_t pid) {
    std::vector<pid_t> ids = thread_ids_of(pid);
    std::erase_if(ids, [pid](pid_t id) {
        const char state = state_of("/proc/" + std::to_string(pid) + "/task/" + std::to_string(id));
        return state == 'Z' || state == 'X' || state == 0;
    });
    return ids;
}

pid_t holder_of(pid_t pid) {
    const char state = state_of("/proc/" + std::to_string(pid));
    if (state != 'Z' && state != 'X') return pid;
    const std::vector<pid_t> alive = threads_of(pid);
    return alive.empty() ? pid : alive.front();
}

bool read_registers(pid_t thread, Thread &out) {
    iovec words = {out.words.data(), sizeof out.words};
    return ptrace(PTRACE_GETREGSET, thread, NT_PRSTATUS, &words) == 0 && words.iov_len == sizeof out.words;
}

Fault why_without_memory(pid_t pid) {
    const std::string process = "process " + std::to_string(pid);
    const char state = state_of("/proc/" + std::to_string(pid));
    if (state == 0) return Fault{FaultTag::CoreEmpty, "there is no " + process, "'ps' lists those that there are"};
    if (state == 'Z' || state == 'X') return Fault{FaultTag::CoreEmpty, process + " has ended"};
    return Fault{FaultTag::CoreEmpty, process + " is a thread of the kernel and has no memory of its own",
                 "'stap --core /proc/kcore' looks at the kernel's"};
}

Fault why_refused(pid_t pid, int error, bool stopping) {
    const std::string process = "process " + std::to_string(pid);
    const auto refuse = [&](const std::string &why, const std::string &hint) {
        return Fault{FaultTag::CoreUnreadable, process + " " + why, hint};
    };
    if (error == ENOENT || error == ESRCH) return why_without_memory(pid);
    if (error != EPERM && error != EACCES)
        return refuse("cannot be looked at: " + std::string(std::strerror(error)), "");
    const int64_t tracer = status_number(pid, "TracerPid:"), owner = status_number(pid, "Uid:");
    if (stopping && tracer > 0)
        return refuse("is being traced by process " + std::to_string(tracer) + " (" +
                          name_of(static_cast<pid_t>(tracer)) + "), and only one may",
                      "end that one, or do not stop the process: --snapshot=run");
    const int scope = ptrace_scope();
    if (scope >= 3)
        return refuse(
            "may not be looked at: kernel.yama.ptrace_scope is 3, so no process may be traced until the "
            "machine boots again",
            "without --snapshot, the kernel looks at it");
    if (geteuid() == 0 && !is_first_user_namespace())
        return refuse("may not be looked at: this root is that of a user namespace, and the process is outside of it",
                      "run stap outside, as root");
    if (geteuid() == 0)
        return refuse("may not be looked at: this root has no CAP_SYS_PTRACE",
                      "a container gets it by '--cap-add=SYS_PTRACE'");
    if (owner >= 0 && owner != static_cast<int64_t>(geteuid()))
        return refuse("may not be looked at: it belongs to user " + std::to_string(owner),
                      scope == 0 ? "run stap as that user, or as root" : "run stap as root");
    switch (scope) {
        case 1:
            return refuse("may not be looked at: kernel.yama.ptrace_scope is 1, so that only a parent may trace",
                          "run stap as root, or 'sysctl kernel.yama.ptrace_scope=0' as root");
        case 2:
            return refuse("may not be looked at: kernel.yama.ptrace_scope is 2, so that only root may trace",
                          "run stap as root");
        default:
            return refuse(
                "may not be looked at: its program has rights or secrets of its own (prctl(2), "
                "PR_SET_DUMPABLE)",
                "run stap as root");
    }
}

}  // namespace tapir::core
