// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/interruption.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
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

// Whose child it is; 0 if it has ended: proc(5), "PID (NAME) STATE PPID ...".
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

// Compilers and the like remove what they were writing when they are asked to end. Each is asked once: a second signal
// ends them before they are done. `asked` has those that were.
void end_descendants(std::set<pid_t> &asked) {
    // Whose parent ends becomes a child of this process and not of init, where nobody would find it.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    constexpr milliseconds kPatience(1000), kMost(5000), kStep(10);
    for (milliseconds passed(0); passed < kMost; passed += kStep) {
        const std::vector<pid_t> running = descendants();
        if (running.empty()) return;
        for (const pid_t process : running)
            if (passed >= kPatience)
                kill(process, SIGKILL);
            else if (asked.insert(process).second)
                kill(process, SIGTERM);
        std::this_thread::sleep_for(kStep);
    }
}

// Whether there was one.
bool remove_directories(const std::set<std::string> &directories) {
    std::error_code error;
    bool found = false;
    for (const std::string &path : directories) {
        found = std::filesystem::exists(path, error) || found;
        std::filesystem::remove_all(path, error);
    }
    return found;
}

// The lock stays held: who began one of the directories waits when it ends it.
void clear_away() {
    Leftovers &all = leftovers();
    all.lock.lock();
    // That a program was ended is no news for the user.
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
    // Another thread may just write to a directory, make it again or start a program. It comes to its end soon: without
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
