// SPDX-License-Identifier: GPL-2.0-or-later
// How a process is stopped and let go: ptrace(2). All threads of it are asked first, then waited for.
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <unordered_set>

#include "core/live_process.h"
#include "core/live_rights.h"

namespace tapir::core {

namespace {

constexpr uint64_t kPatienceNs = 2'000'000'000;  // for all threads together
constexpr uint64_t kRoundNs = 5'000'000;         // until new threads are looked for again
constexpr long kPollNs = 50'000;

uint64_t now_ns() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

// Asks the threads that are not held yet. True: there were some.
Outcome<bool> LiveProcess::seize_all() {
    std::unordered_set<pid_t> known;
    for (const Held &thread : held_)
        known.insert(thread.id);
    bool fresh = false;
    // A thread that makes the next one has to be asked before it does: nothing slow comes between.
    for (pid_t id : thread_ids_of(pid_)) {
        if (known.contains(id)) continue;
        if (ptrace(PTRACE_SEIZE, id, nullptr, nullptr) != 0) {
            if (errno == ESRCH) continue;  // it has ended
            const int error = errno;
            const std::vector<pid_t> alive = threads_of(pid_);
            if (std::find(alive.begin(), alive.end(), id) == alive.end()) continue;
            return refused(error, true);
        }
        if (!stopped_at_) stopped_at_ = now_ns();
        ptrace(PTRACE_INTERRUPT, id, nullptr, nullptr);
        held_.push_back({id, 0, false});
        fresh = true;
    }
    return fresh;
}

// Does not wait. A thread that has ended gets 0 as its id.
void LiveProcess::look_at(Held &thread) {
    // The kernel keeps the reason of a thread's stop until a wait without WNOWAIT. This never takes it: if this program
    // is killed, the thread still gets its signal.
    siginfo_t what = {};
    int failed = 0;
    do
        failed = waitid(P_PID, static_cast<id_t>(thread.id), &what, __WALL | WSTOPPED | WEXITED | WNOHANG | WNOWAIT);
    while (failed && errno == EINTR);
    if (!failed && what.si_pid && what.si_code == CLD_TRAPPED) {
        // If a signal stopped it instead, it gets that when it continues.
        const bool asked = what.si_status >> 8 == PTRACE_EVENT_STOP;
        thread.signal = asked ? 0 : what.si_status & 0x7f;
        thread.stopped = true;
        return;
    }
    if (!failed && what.si_pid) {
        int status = 0;
        waitpid(thread.id, &status, __WALL | WNOHANG);  // it has ended: its parent may know
    }
    // The kernel does not report the end of a first thread while others live.
    if (failed || what.si_pid || (thread.id == pid_ && holder_of(pid_) != pid_)) thread.id = 0;
}

// True: all that were asked have stopped, or ended.
bool LiveProcess::wait_for_all(uint64_t deadline) {
    for (;;) {
        bool all = true;
        for (Held &thread : held_) {
            if (!thread.stopped) look_at(thread);
            all = all && (thread.stopped || thread.id == 0);
        }
        std::erase_if(held_, [](const Held &one) { return one.id == 0; });
        if (all || now_ns() >= deadline) return all;
        const timespec pause = {0, kPollNs};
        nanosleep(&pause, nullptr);
    }
}

Outcome<void> LiveProcess::stop() {
    const uint64_t deadline = now_ns() + kPatienceNs;
    // Threads that still run may make new ones, whether others stop or not.
    for (;;) {
        const Outcome<bool> fresh = seize_all();
        if (!fresh) return fresh.fault();
        const bool all = wait_for_all(now_ns() + kRoundNs);
        if (!*fresh && (all || now_ns() >= deadline)) break;
        if (now_ns() >= deadline + kPatienceNs)
            return Fault{FaultTag::CoreUnreadable,
                         "process " + std::to_string(pid_) + " makes threads faster than they can be stopped",
                         "do not stop the process: --snapshot=run"};
    }
    if (held_.empty()) return why_without_memory(pid_);
    for (const Held &thread : held_)
        if (!thread.stopped) unstoppable_.push_back(thread.id);
    return {};
}

uint64_t LiveProcess::release() {
    if (held_.empty()) return 0;
    for (Held &thread : held_) {
        // One that did not stop may have done so by now. If not, the kernel lets it go when this program ends.
        if (!thread.stopped) look_at(thread);
        if (thread.id && thread.stopped)
            ptrace(PTRACE_DETACH, thread.id, nullptr, reinterpret_cast<void *>(static_cast<long>(thread.signal)));
    }
    held_.clear();
    return now_ns() - stopped_at_;
}

}  // namespace tapir::core
