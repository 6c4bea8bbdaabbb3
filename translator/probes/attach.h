// SPDX-License-Identifier: GPL-2.0-or-later
// A located probe: what the translator knows about one attachment once a probe point is resolved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/scope.h"

namespace tapir::probes {

// One enumerator per probe kind. The same names are used for the kind's translator file (probes/<name>.cc), its kernel
// file (kmod/kind_<name>.c), its tests and its documentation page.
enum class Kind : uint8_t {
    Begin,  // begin, end and error share one kind; see Attach::phase
    Timer,
    Function,        // entry of functions: ftrace where there is a site, else kprobe
    Statement,       // within functions: statements, inlined functions, labels
    Return,          // return of functions
    Perf,            // performance events, also timer.profile
    Data,            // memory that the processor watches
    Procfs,          // files below /proc/systemtap
    Netfilter,       // packets
    Tracepoint,      // places in the kernel marked for it
    Uprobe,          // places in programs
    Uretprobe,       // return of functions of programs
    Process,         // processes and threads that begin and end
    ProcessSyscall,  // system calls of processes
    Syscall,         // system calls, by their names
    Never,           // resolved and checked, never attached
};

// The name of a kind's files: "process_syscall".
std::string_view kind_name(Kind kind);

enum class Phase : uint8_t { Begin, End, Error };

enum class TimerUnit : uint8_t { Nanoseconds, Jiffies };

// One place of a Function attach: a symbol that is found when the module is loaded, plus an offset. In a program it is
// an offset in the file.
struct FunctionSite {
    std::string symbol;  // "module:symbol" is one of a kernel module; "": `offset` is the address itself
    int64_t offset = 0;
    uint64_t semaphore = 0;  // of a program: offset in the file of a counter to raise while the place is probed
    std::string label;       // between point_prefix and point_suffix: "vfs_read", "vfs_read@fs/read_write.c:450"
    bool entry = true;       // the first instruction of a function
    std::shared_ptr<const target::Scope> scope;  // what a script can name there; null: nothing is known
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

struct ProcfsFile {
    std::string path;  // below /proc/systemtap/MODULE
    bool write = false;
    std::optional<uint32_t> umask;  // 0 to 0777
    uint32_t max_size = 0;          // bytes of a value; 0: as strings
};

// By the kernel's numbers.
struct PacketFilter {
    uint8_t family = 0, hook = 0;
    int32_t priority = 0;
};

enum class ProcessEvent : uint8_t { Begin, End, ThreadBegin, ThreadEnd, Syscall, SyscallReturn };

struct SyscallPlaces {
    bool at_return = false;
    bool every = false;           // whatever number a call has
    std::vector<size_t> entries;  // positions in syscalls::Calls::entries()
};

// A program, and whose hits are wanted.
struct UserCode {
    static constexpr int64_t kAll = 0, kTarget = -1;

    std::string path;    // "": of whatever program
    int64_t pid = kAll;  // a process; kTarget: what target() says, and its descendants
};

struct Attach {
    Kind kind = Kind::Never;
    // The expanded probe point, as pp() and reports show it. For several sites: the point of the first one; the runtime
    // composes the others from `point_prefix` + label + `point_suffix`.
    std::string point;
    std::string point_prefix, point_suffix;
    std::string written;  // the point of the script that this came from

    // Begin
    Phase phase = Phase::Begin;
    int64_t order = 0;

    // Timer
    TimerUnit unit = TimerUnit::Nanoseconds;
    uint64_t period = 0;
    uint64_t randomize = 0;  // +- this much, same unit

    // Function: sorted by label, without duplicates.
    std::vector<FunctionSite> sites;
    uint32_t maxactive = 0;  // Return: calls of one function that are followed at once; 0: the runtime's default
    // Kinds whose places are no functions, such as tracepoints: what a script can name there; null: nothing.
    std::shared_ptr<const target::Scope> scope;
    PerfEvent perf;                            // Perf
    Watch watch;                               // Data
    PacketFilter filter;                       // Netfilter
    ProcfsFile file;                           // Procfs
    UserCode user;                             // Uprobe, Uretprobe, Process, ProcessSyscall
    ProcessEvent event = ProcessEvent::Begin;  // Process, ProcessSyscall
    SyscallPlaces syscall;                     // Syscall
    // Tracepoint
    std::string tracepoint;         // as the kernel has it, without a system
    std::string tracepoint_module;  // that has it; "": the kernel itself
    uint32_t argument_count = 0;
    // Has @entry; its other variables are there at the return, too.
    bool saves_at_entry() const { return kind == Kind::Syscall && syscall.at_return; }
    bool at_return() const { return kind == Kind::Return || kind == Kind::Uretprobe; }

    bool kprobe = false;         // written as kprobe.function
    bool from_wildcard = false;  // a symbol that cannot be attached is then counted, not an error
    bool optional = false;       // "?": not attaching is not an error either
};

}  // namespace tapir::probes
