// SPDX-License-Identifier: GPL-2.0-or-later
// A located probe: the translator's knowledge about one attachment once a probe point is resolved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "probes/kind_list.h"
#include "target/scope.h"

namespace tapir::probes {

enum class Phase : uint8_t { Begin, End, Error };

// Begin: handlers of one phase run in ascending order.
struct SessionPhase {
    Phase phase = Phase::Begin;
    int64_t order = 0;
};

enum class TimerUnit : uint8_t { Nanoseconds, Jiffies };

// A number that follows a global of the script when the session starts: `times` the global, or `dividend` by it.
struct FromGlobal {
    std::string name;       // of the global
    std::string_view into;  // the member of the kind's argument
    uint64_t times = 1;
    uint64_t dividend = 0;  // 0: there is none
    int64_t least = 1, most = INT64_MAX;
};

struct Interval {
    TimerUnit unit = TimerUnit::Nanoseconds;
    uint64_t period = 0;
    uint64_t randomize = 0;    // +- this much, same unit
    bool may_be_late = false;  // written in seconds, milliseconds or jiffies
};

// One place in code: a symbol that is found when the module is loaded, plus an offset. In a program it is
// an offset in the file.
struct FunctionSite {
    std::string symbol;  // "module:symbol" is one of a kernel module; "": `offset` is the address itself
    int64_t offset = 0;
    uint64_t semaphore = 0;  // of a program: offset in the file of a counter to raise while the place is probed
    std::string label;       // between point_prefix and point_suffix: "vfs_read", "vfs_read@fs/read_write.c:450"
    std::optional<std::string> function = {};    // if the label is an address: the function there, "" if it is unknown
    std::string caller;                          // of a callee: the label of the function that calls it
    bool entry = true;                           // the first instruction of a function
    std::shared_ptr<const target::Scope> scope;  // names that a script can use there; null: none are known
    // For a return probe of a program's function: the file offsets of the instructions by which it returns, or why the
    // kernel's return probe has to follow its calls.
    std::vector<uint64_t> exits;
    std::string by_kernel;
    bool comes_back = false;  // of the same: a call may execute the entry several times
    bool goroutine = false;   // goroutines identify its calls, too; all sites of an attachment agree
    uint32_t depth = 0;       // of a frame: how many functions that were inlined there are within it
    uint64_t moved = 0;       // bytes behind the entry that was asked for, since something is there only so late

    void move_behind_entry(uint64_t by) {
        offset += static_cast<int64_t>(by);
        entry = false;
        moved = by;
    }
};

// How functions of the kernel are probed.
struct KernelCode {
    uint32_t maxactive = 0;  // Return: calls of one function that are followed at once; 0: the runtime's default
    bool kprobe = false;     // written as kprobe.function
};

// A performance event, by the numbers of the kernel's struct perf_event_attr.
struct PerfEvent {
    uint32_t type = 0;
    uint64_t config = 0;
    // One of them: a hit every so many events (nanoseconds, for clocks), or so many hits per second of each CPU. Both
    // 0: with the kernel's clock tick.
    uint64_t period = 0;
    uint64_t frequency = 0;
    std::string counter;  // counted under this name, for @perf, instead of making hits; "": hits
    std::string program;  // only tasks that run this file; "": all
};

// Memory of the kernel at a symbol or, where that is "", at an address.
struct Watch {
    std::string symbol;
    uint64_t address = 0;
    uint32_t length = 1;  // bytes: 1, 2, 4 or 8
    bool reads = false;   // not only writes
};

struct Tracepoint {
    std::string name;    // as the kernel has it, without a system
    std::string module;  // that has it; "": the kernel itself
    uint32_t argument_count = 0;
};

struct ProcfsFile {
    std::string path;  // below /proc/systemtap/MODULE
    bool write = false;
    std::optional<uint32_t> umask;  // 0 to 0777
    uint32_t max_size = 0;          // bytes of a value; 0: as strings
};

// A packet filter, in the kernel's numbers.
struct PacketFilter {
    uint8_t family = 0, hook = 0;
    int32_t priority = 0;
};

enum class ProcessEvent : uint8_t {
    Begin,
    End,
    ThreadBegin,
    ThreadEnd,
    Syscall,
    SyscallReturn,
    Snapshot,
    ThreadSnapshot
};

// A program, and whose hits are wanted.
struct UserCode {
    static constexpr int64_t kAll = 0, kTarget = -1;

    std::string path;    // "": any program
    int64_t pid = kAll;  // a process; kTarget: what target() says, and its descendants
};

struct ProcessChange {
    ProcessEvent event = ProcessEvent::Begin;
    UserCode user;
};

// The threads that run a program, each with a performance event of its own.
struct ProgramTasks {
    UserCode user;
    uint64_t start = 0;         // of the first instruction that a process runs of it, as linked
    uint64_t start_offset = 0;  // the same in its file
};

// Memory of a program, in each thread of the processes that run it.
struct UserWatch {
    ProgramTasks tasks;
    uint64_t address = 0;  // as linked
    uint32_t length = 1;   // bytes: 1, 2, 4 or 8
    bool reads = false;    // not only writes
};

// A performance event that is counted in each thread of a program.
struct TaskCounter {
    ProgramTasks tasks;
    PerfEvent event;
};

struct SyscallPlaces {
    bool at_return = false;
    bool every = false;                // calls of any number
    std::vector<size_t> entries = {};  // positions in syscalls::Calls::entries()
};

struct Attach {
    Kind kind = Kind::Never;
    // The expanded probe point, as pp() and reports show it. For several sites: the point of the first one; the runtime
    // composes the others from `point_prefix` + label + `point_suffix`.
    std::string point;
    std::string point_prefix, point_suffix;
    std::string written;  // the point of the script that this came from

    // Places in code, sorted by label, without duplicates; empty for other kinds.
    std::vector<FunctionSite> sites;
    // Names that a script can use in kinds whose places are not functions, such as tracepoints; null: none.
    std::shared_ptr<const target::Scope> scope;

    // Further data for the kind; KindOps::write_arg makes an Arg of it.
    std::variant<std::monostate, SessionPhase, Interval, KernelCode, PerfEvent, Watch, ProcfsFile, PacketFilter,
                 Tracepoint, UserCode, ProcessChange, UserWatch, TaskCounter, SyscallPlaces>
        arg;
    template <class Arg>
    Arg &as() {
        return std::get<Arg>(arg);
    }
    template <class Arg>
    const Arg &as() const {
        return std::get<Arg>(arg);
    }

    // Has @entry; its other variables are there at the return, too.
    bool saves_at_entry() const {
        const auto *places = std::get_if<SyscallPlaces>(&arg);
        return places && places->at_return;
    }
    // Members of the argument that the session's start sets.
    std::vector<FromGlobal> from_globals;
    const KindFacts &facts() const { return probes::facts(kind); }
    // Is it about a program, whose types and memory a script means?
    bool in_program() const {
        const auto *change = std::get_if<ProcessChange>(&arg);
        return std::holds_alternative<UserCode>(arg) || (change && !change->user.path.empty());
    }
    // Once its sites have moved.
    void place_behind_entries() {
        if (kind == Kind::Function) kind = Kind::Statement;
    }

    bool from_wildcard = false;  // a symbol that cannot be attached is then counted, not an error
    bool optional = false;       // "?": not attaching is not an error either
};

// Is it a timer whose handler may as well run a little later, in a thread?
inline bool may_be_late(const Attach &attach) {
    const auto *timer = std::get_if<Interval>(&attach.arg);
    return timer && timer->may_be_late;
}

}  // namespace tapir::probes
