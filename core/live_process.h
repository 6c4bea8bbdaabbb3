// SPDX-License-Identifier: GPL-2.0-or-later
// A live process at a moment: the contents of a core file's notes, and its memory. Needs only the right to trace it
// (ptrace(2)).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/outcome.h"
#include "core/core_file.h"
#include "core/live_memory.h"
#include "core/notes.h"

namespace tapir::core {

enum class LiveMode {
    Look,  // its mappings; no registers, and nothing is stopped
    Run,   // the places of its threads, as far as the kernel shows them; nothing is stopped
    Stop,  // all its threads stand still until release()
    Held,  // they do, because another program has stopped and described them
};

class LiveProcess {
  public:
    // `held` is, with LiveMode::Held, the path of a file with what write_held_threads() gave. Faults: CoreEmpty,
    // CoreUnreadable, CoreForeign.
    static Outcome<std::unique_ptr<LiveProcess>> open(int64_t pid, LiveMode mode, const std::string &held = {});
    // release()s it. If this program dies, the kernel does.
    ~LiveProcess();
    LiveProcess(const LiveProcess &) = delete;
    LiveProcess &operator=(const LiveProcess &) = delete;

    const Notes &notes() const { return notes_; }
    // The mappings, ascending. Only the vDSO's has its content.
    const std::vector<Segment> &segments() const { return segments_; }
    LiveMemory &memory() { return memory_; }
    int64_t pid() const { return pid_; }
    // The process's directory in /proc, "/proc/4711": that of one of its live threads.
    std::string directory() const;
    // Threads whose program counter is unknown: they run.
    const std::vector<int64_t> &running() const { return running_; }
    // Threads that did not stop within the time for it: they wait in the kernel.
    const std::vector<int64_t> &unstoppable() const { return unstoppable_; }

    // Lets stopped threads continue. Returns the nanoseconds that they stood still, 0 if they did not.
    uint64_t release();

  private:
    struct Held {
        pid_t id;
        int signal;    // that it was about to get
        bool stopped;  // else it is asked to
    };

    LiveProcess(pid_t pid, LiveMode mode);
    Outcome<void> stop();
    Outcome<bool> seize_all();
    void look_at(Held &thread);
    bool wait_for_all(uint64_t deadline);
    Outcome<void> read_program();
    Outcome<void> read_maps();
    Outcome<void> check_class();
    void read_identity();
    void read_threads(LiveMode mode);
    Outcome<void> take_threads(const std::string &held);
    void read_place(Thread &thread);
    Fault refused(int error, bool stopping) const;

    pid_t pid_;
    Notes notes_;
    std::vector<Segment> segments_;
    std::string vdso_, auxiliary_;  // the vector, as the kernel gives it
    LiveMemory memory_;
    std::vector<Held> held_;
    std::vector<int64_t> running_, unstoppable_;
    uint64_t stopped_at_ = 0;
};

}  // namespace tapir::core
