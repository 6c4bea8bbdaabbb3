// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/idle_waits.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace tapir::report {

namespace {

enum Sign : uint32_t {
    LookedAt = 1,
    Scheduler = 2,
    Events = 4,
    Connections = 8,
    Ends = 16,
    Signals = 32,
    Condition = 64,
    Pool = 128,
    Runtime = 256,
};

struct Known {
    std::string_view name;
    Sign sign;
};

// Functions of the kernel, the same in all versions from 5.10 on unless the compiler inlined them; so several of each
// way.
constexpr std::array kKernel = {
    Known{"schedule", Scheduler},
    Known{"__schedule", Scheduler},
    Known{"finish_task_switch", Scheduler},
    Known{"schedule_hrtimeout_range_clock", Scheduler},
    Known{"ep_poll", Events},
    Known{"do_epoll_wait", Events},
    Known{"do_sys_poll", Events},
    Known{"do_poll", Events},
    Known{"do_select", Events},
    Known{"core_sys_select", Events},
    Known{"io_cqring_wait", Events},
    Known{"inet_csk_accept", Connections},
    Known{"unix_accept", Connections},
    Known{"do_accept", Connections},
    Known{"__sys_accept4", Connections},
    Known{"do_wait", Ends},
    Known{"kernel_wait4", Ends},
    Known{"kernel_waitid", Ends},
    Known{"do_sigtimedwait", Signals},
    Known{"sigsuspend", Signals},
    Known{"__do_sys_pause", Signals},
    Known{"__x64_sys_pause", Signals},
    Known{"signalfd_read", Signals},
};

// Functions of programs. A wait for a condition is idle only in what waits for work; elsewhere it is a wait for
// somebody.
constexpr std::array kProgram = {
    Known{"pthread_join", Ends},
    Known{"pthread_timedjoin_np", Ends},
    Known{"pthread_clockjoin_np", Ends},
    Known{"__pthread_clockjoin_ex", Ends},
    Known{"std::thread::join", Ends},
    Known{"pthread_cond_wait", Condition},
    Known{"pthread_cond_timedwait", Condition},
    Known{"pthread_cond_clockwait", Condition},
    Known{"__pthread_cond_wait", Condition},
    Known{"__futex_abstimed_wait_common", Condition},
    Known{"sem_wait", Condition},
    Known{"uv_cond_wait", Condition},
    Known{"std::condition_variable::wait", Condition},
    Known{"runtime.findRunnable", Runtime},
    Known{"runtime.findrunnable", Runtime},
    Known{"runtime.stopm", Runtime},
    Known{"runtime.sysmon", Runtime},
    Known{"runtime.gcBgMarkWorker", Runtime},
};

constexpr std::array<std::string_view, 8> kPoolWords = {"worker",   "pool",     "queue",          "dispatch",
                                                        "consumer", "bgthread", "backgroundjobs", "take_job"};

// Without arguments and what compilers add.
std::string_view plain(std::string_view name) {
    return name.substr(0, name.find_first_of("(@"));
}

template <size_t N>
uint32_t sign_of(const std::array<Known, N> &known, std::string_view name) {
    uint32_t out = 0;
    for (const Known &one : known)
        // "finish_task_switch.isra.0"
        if (name == one.name || (name.starts_with(one.name) && name.substr(one.name.size()).starts_with(".")))
            out |= one.sign;
    return out;
}

}  // namespace

uint32_t IdleWaits::signs(uint32_t frame) {
    if (known_.size() <= frame) known_.resize(frames_.size());
    uint32_t &out = known_[frame];
    if (out) return out;
    out = LookedAt;
    const FrameText &text = frames_[frame];
    const std::string_view name = plain(text.name);
    if (text.origin == Origin::Kernel) {
        out |= sign_of(kKernel, name);
    } else if (text.origin == Origin::Program && text.resolved) {
        out |= sign_of(kProgram, name);
        std::string lower(name);
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        for (const std::string_view word : kPoolWords)
            if (lower.find(word) != std::string::npos) out |= Pool;
    }
    return out;
}

bool IdleWaits::is_wait(std::span<const uint32_t> stack) {
    return !stack.empty() && (signs(stack.back()) & Scheduler);
}

std::string IdleWaits::kind(const std::vector<uint32_t> &stack, size_t first) {
    if (stack.size() <= first || !(signs(stack.back()) & Scheduler)) return "";
    uint32_t all = 0;
    for (size_t i = stack.size(); i-- > first;)
        all |= signs(stack[i]);
    if (all & Events) return "[waits for events]";
    if (all & Connections) return "[waits for connections]";
    if (all & Signals) return "[waits for signals]";
    if (all & Ends) return "[waits for threads or processes to end]";
    if ((all & Runtime) || ((all & Condition) && (all & Pool))) return "[waits for work]";
    return "";
}

bool is_of_waits(const Profile &profile, const FrameTable &frames, double least) {
    IdleWaits waits(frames);
    int64_t sum = 0;
    for (const Row &row : profile.rows)
        if (waits.is_wait(row.frames)) sum += row.value;
    return static_cast<double>(sum) > least * static_cast<double>(profile.total);
}

}  // namespace tapir::report
