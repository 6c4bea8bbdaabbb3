// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/interruption.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

namespace tapir {

namespace {

using std::chrono::milliseconds;

struct Leftovers {
    std::mutex lock;
    std::set<std::string> directories;
};

// Never destroyed: objects that end with the program use it.
Leftovers &leftovers() {
    static Leftovers &all = *new Leftovers;
    return all;
}

// Returns the parent's PID, or 0 if the process has ended: proc(5), "PID (NAME) STATE PPID ...".
pid_t parent_of(const std::string &process) {
    std::ifstream file("/proc/" + process + "/stat");
    std::string text;
    std::getline(file, text);
    const size_t name_end = text.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream rest(text.substr(name_end + 1));
    char state = 'X';
    pid_t parent = 0;
    rest >> state >> parent;
    return state == 'Z' || state == 'X' ? 0 : parent;
}

// Children, their children and so on.
std::vector<pid_t> descendants() {
    std::multimap<pid_t, pid_t> children;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        if (const pid_t parent = parent_of(name)) children.emplace(parent, std::stoi(name));
    }
    std::vector<pid_t> found;
    pid_t parent = getpid();
    for (size_t i = 0;; parent = found[i++]) {
        for (auto [at, end] = children.equal_range(parent); at != end; ++at)
            found.push_back(at->second);
        if (i == found.size()) return found;
    }
}

// Compilers and the like remove their unfinished output when they are asked to end. Each is asked once: a second signal
// would end them before they are done. `asked` has those that were.
void end_descendants(std::set<pid_t> &asked) {
    // A process whose parent ends becomes a child of this process, not of init, where descendants() would miss it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    constexpr milliseconds kSilent(1000), kMost(5000), kStep(10);
    for (milliseconds passed(0); passed < kMost; passed += kStep) {
        const std::vector<pid_t> running = descendants();
        if (running.empty()) return;
        for (const pid_t process : running)
            if (passed >= kSilent)
                kill(process, SIGKILL);
            else if (asked.insert(process).second)
                kill(process, SIGTERM);
        std::this_thread::sleep_for(kStep);
    }
}

// Returns true if one existed.
bool remove_directories(const std::set<std::string> &directories) {
    std::error_code error;
    bool found = false;
    for (const std::string &path : directories) {
        found = std::filesystem::exists(path, error) || found;
        std::filesystem::remove_all(path, error);
    }
    return found;
}

// From now on no thread of this process can create files or directories, rename or link them, or execute a program: the
// calls fail with EROFS. Calls in progress continue. seccomp(2) covers all threads at once; on kernels without it
// nothing changes. Written by hand, because libseccomp would be one more library to load at each start.
void forbid_creation() {
    constexpr long kCalls[] = {
        SYS_mkdirat, SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_mknodat, SYS_execve, SYS_execveat, SYS_openat2,
#ifdef SYS_mkdir
        SYS_mkdir,   SYS_rename,    SYS_link,   SYS_symlink,   SYS_mknod,   SYS_creat,  SYS_renameat,
#endif
    };
    // Calls that create with O_CREAT, and the argument that has their flags.
    constexpr std::pair<long, unsigned> kOpens[] = {
        {SYS_openat, 2},
#ifdef SYS_open
        {SYS_open, 1},
#endif
    };
    constexpr uint32_t kForbidden = SECCOMP_RET_ERRNO | EROFS;
    const auto load = [](size_t offset) { return sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset))); };
    const sock_filter forbidden = BPF_STMT(BPF_RET | BPF_K, kForbidden);
    std::vector<sock_filter> filter = {load(offsetof(seccomp_data, nr))};
    for (const long call : kCalls) {
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 1));
        filter.push_back(forbidden);
    }
    // The low half of the argument: this file is for processors of little endian.
    for (const auto &[call, argument] : kOpens) {
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 4));
        filter.push_back(load(offsetof(seccomp_data, args) + argument * sizeof(uint64_t)));
        filter.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, uint32_t(O_CREAT), 0, 1));
        filter.push_back(forbidden);
        filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

// The lock stays held: a thread that began one of the directories waits when it ends it.
void clear_away() {
    Leftovers &all = leftovers();
    all.lock.lock();
    // Users need no messages about programs that this process ends.
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    forbid_creation();
    // Another thread may be within a call that makes a directory or starts a program. It comes to its end soon: without
    // its files it fails, and waits for the lock when it gives up its directory.
    constexpr int kTries = 100;
    constexpr milliseconds kQuiet(50);
    std::set<pid_t> asked;
    bool found = true;
    for (int i = 0; i < kTries && found; ++i) {
        end_descendants(asked);
        found = remove_directories(all.directories);
        std::this_thread::sleep_for(kQuiet);
        found = remove_directories(all.directories) || found;
    }
}

}  // namespace

bool make_remembered(std::string &pattern) {
    const std::lock_guard held(leftovers().lock);
    if (!mkdtemp(pattern.data())) return false;
    leftovers().directories.insert(pattern);
    return true;
}

void remember_directory(const std::string &path) {
    const std::lock_guard held(leftovers().lock);
    leftovers().directories.insert(path);
}

void forget_directory(const std::string &path) {
    const std::lock_guard held(leftovers().lock);
    leftovers().directories.erase(path);
}

CleanInterruption::CleanInterruption() {
    sigset_t taken;
    sigemptyset(&taken);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction now {};
        sigaction(number, nullptr, &now);
        if (now.sa_handler != SIG_IGN) sigaddset(&taken, number);
    }
    pthread_sigmask(SIG_BLOCK, &taken, &before_);
    signals_ = Descriptor(signalfd(-1, &taken, SFD_CLOEXEC));
    stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
    if (signals_.get() >= 0 && stop_.get() >= 0) {
        thread_ = std::thread([this] { watch(); });
        return;
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

CleanInterruption::~CleanInterruption() {
    if (!thread_.joinable()) return;
    eventfd_write(stop_.get(), 1);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void CleanInterruption::watch() {
    pollfd watched[] = {{signals_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    for (;;) {
        if (poll(watched, 2, -1) < 0) continue;
        if (watched[1].revents) return;
        signalfd_siginfo info;
        if (read(signals_.get(), &info, sizeof info) != sizeof info) continue;
        clear_away();
        const int number = static_cast<int>(info.ssi_signo);
        signal(number, SIG_DFL);
        sigset_t this_one;
        sigemptyset(&this_one);
        sigaddset(&this_one, number);
        pthread_sigmask(SIG_UNBLOCK, &this_one, nullptr);
        raise(number);
    }
}

}  // namespace tapir
