// SPDX-License-Identifier: GPL-2.0-or-later
// The whole text of everything that a module says by itself. Most of it cannot be provoked in a test: kernels do not
// run out of memory on demand.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>

namespace tapir::staprun {
namespace {

const std::map<std::string, std::string> kExamples = {
    {"AddressStaysOff", "probe kernel.data(5).write stays off: 0x5 is not a kernel address"},
    {"CounterNameTaken",
     "probe perf.hw.cpu_cycles.counter(\"x\") registration error: another probe counts under this name"},
    {"AsksTooMuchMemory",
     "the script asks for 8192 MB of memory, and this machine can spare 512 MB; the array a takes 8000 MB of them: "
     "give it fewer elements (global NAME[N], or MAXMAPENTRIES), or shorter strings (MAXSTRINGLEN)"},
    {"CpusNotFollowed", "cannot follow CPUs that come and go (-ENOMEM)"},
    {"DataRefused", "probe kernel.data(\"jiffies\").rw registration error: the processor cannot watch it (-EBUSY)"},
    {"DataStaysOff",
     "probe module(\"m\").data(\"x\").write stays off: the processor cannot watch 8 bytes at 0xffffffffc0001003 "
     "(-EINVAL)"},
    {"DataUnwatchable",
     "probe kernel.data(\"x\").write registration error: the processor cannot watch 3 bytes at 0xffffffff81000001"},
    {"DebugRegistersInUse",
     "probe kernel.data(\"x\").write registration error: all debug registers of the processor are in use"},
    {"FollowingRefused",
     "the kernel's tracepoint 'sched_process_fork', by which processes are followed, cannot be used (-EEXIST)"},
    {"FtraceFilter", "the functions to probe cannot be told to ftrace (-EINVAL)"},
    {"FtraceOff", "function tracing is switched off: sysctl kernel.ftrace_enabled is 0"},
    {"FtraceRefused", "function tracing cannot be switched on (-ENOMEM)"},
    {"HitsOwnOutput",
     "staprun hits the script's probes while it delivers what the script prints, and that is printed again; to leave "
     "it out, begin the handler with: if (is_tracer()) next"},
    {"InitialisedBefore",
     "probe module(\"m\").function(\"init\"): its code only initialises the module, which was done before; it waits "
     "for the module to be loaded again"},
    {"Interrupted", "probe begin(-1) was interrupted"},
    {"LoadedWithoutSymbol",
     "probe module(\"m\").function(\"f\") stays off: the module was loaded without a symbol 'f'"},
    {"ModuleNotLoaded", "module 'm' was not loaded while the script ran: its probes were not hit"},
    {"ModuleOfAnotherBuild",
     "module 'm' was loaded as another build than the script's debug information is for (build-id 00ff): its probes "
     "stay off; translate the script again with debug information of this build"},
    {"NetfilterRefused", "the network filters cannot be registered (-EBUSY)"},
    {"NoKernelAddress", "probe kernel.data(5).write registration error: 0x5 is not a kernel address"},
    {"NoMemoryBudget", "not enough memory for --budget"},
    {"NoMemoryCallData", "not enough memory for what the returns of functions want to know of their calls"},
    {"NoMemoryContexts", "not enough memory for the variables of handlers"},
    {"NoMemoryData", "not enough memory to watch data"},
    {"NoMemoryFamily", "not enough memory to follow the target's descendants"},
    {"NoMemoryFunctions", "not enough memory to probe 40000 functions"},
    {"NoMemoryModules", "not enough memory to follow modules"},
    {"NoMemoryNetfilter", "not enough memory for 2 network filters"},
    {"NoMemoryPerf", "not enough memory for performance events"},
    {"NoMemoryPerfEvents", "not enough memory for 3 performance events"},
    {"NoMemoryPlaces", "not enough memory to probe 5 places"},
    {"NoMemoryProcessProbes", "not enough memory for the probes of processes"},
    {"NoMemoryProcesses", "not enough memory to remember which processes run"},
    {"NoMemoryProcfs", "not enough memory for 2 files"},
    {"NoMemoryProgramPlaces", "not enough memory to probe 7 places of programs"},
    {"NoMemorySnapshot", "not enough memory for the list of processes and threads"},
    {"NoMemorySyscalls", "not enough memory for the probes of system calls"},
    {"NoMemoryTaskEvents", "not enough memory for performance events of threads"},
    {"NoMemoryTimers", "not enough memory for 4 timers"},
    {"NoMemoryTracepoints", "not enough memory for 9 tracepoints"},
    {"NoPerfEvent",
     "probe perf.type(9).config(1) registration error: this machine has no performance event of type 9 with "
     "configuration 1"},
    {"NoPerfProgram",
     "probe perf.type(1).config(0).process(\"/no\") registration error: there is no file '/no' (-ENOENT)"},
    {"NoProcess", "probe process(99).begin registration error: there is no process 99"},
    {"NoProgramFile", "probe process(\"/no\").begin registration error: there is no file '/no'"},
    {"NoSnapshot", "no process runs that a snapshot is wanted of"},
    {"NoSymbolInModule", "probe module(\"m\").data(\"x\").write registration error: the module has no symbol 'x'"},
    {"NoSymbolOfVariables", "no symbol 'jiffies' in this kernel: its variables cannot be found"},
    {"NoSymbolToProbe", "probe kernel.function(\"f\") registration error: no symbol 'f' in this kernel"},
    {"NoTracepoint", "probe kernel.trace(\"t\") registration error: no tracepoint 't' in this kernel"},
    {"PerfEventRefused",
     "probe perf.hw.cpu_cycles registration error: the performance event cannot be counted (-EACCES)"},
    {"Overload",
     "probe overhead exceeded threshold: probes took 63 % of the time of processor 3, mostly "
     "kernel.function(\"vfs_read\"); --on-overload=stop ends the session at 50 %"},
    {"OverloadLasts",
     "probes take 27 % of the time of processor 0, mostly kernel.function(\"vfs_read\"); -t shows the cost of each, "
     "--on-overload=stop ends such a session"},
    {"PlaceNotRearmed", "probe kernel.statement(1) cannot be armed again after its condition changed (-ENOENT)"},
    {"PlaceRefused",
     "probe kernel.function(\"f\") registration error: 'f+0x1' cannot be probed: it is not the start of an instruction "
     "(-EILSEQ)"},
    {"PlaceStaysOff",
     "probe module(\"m\").function(\"f\") stays off: 'f+0x1' of the module that was loaded cannot be probed: it is not "
     "the start of an instruction (-EILSEQ)"},
    {"ProbeNotRearmed", "probe kernel.trace(\"t\") cannot be armed again after its condition changed"},
    {"ProbesNotRearmed", "probes cannot be armed again after their condition changed (-ENOMEM)"},
    {"ProcessesNotFollowed",
     "processes cannot be followed: the kernel refuses a probe of its function 'mm_release' (-EINVAL)"},
    {"ProcfsFile", "cannot make the file /proc/systemtap/stap_x/y"},
    {"ProcfsDirectory", "cannot make the directory /proc/systemtap/stap_x"},
    {"StartRefused",
     "probe process(\"/p\").data(\"x\").write registration error: the program's first instruction cannot be probed "
     "(-EOPNOTSUPP)"},
    {"ThreadLeftOut",
     "probe process(\"/p\").data(\"x\").write: thread 15 is not watched, nor are those that it makes: all debug "
     "registers of the processor are in use (-ENOSPC)"},
    {"ThreadsLeftOut", "probe process(\"/p\").data(\"x\").write: 3 threads were not watched, nor those that they made"},
    {"ThreadsRan", "2 threads of process 4711 were running: where they stood is not known"},
    {"TooManyCounters", "probe perf.hw.cpu_cycles.counter(\"x\") registration error: there are too many counters"},
    {"TooManySkipped", "Skipped too many probes, check MAXSKIPPED or try again with stap -t for more details."},
    {"TracepointNotHit",
     "probe kernel.trace(\"m:t\") was not hit: module 'm' was not loaded while the script ran, or has no such "
     "tracepoint"},
    {"TracepointRefused", "probe kernel.trace(\"t\") registration error: the kernel refuses it (-ENOMEM)"},
    {"TracepointStaysOff", "probe kernel.trace(\"t\") stays off: the kernel refuses it (-ENOMEM)"},
};

// The kernel's form of the text, as a pattern.
std::regex pattern_of(std::string text) {
    text = std::regex_replace(text, std::regex(R"([.()\[\]^$|?+])"), R"(\$&)");
    for (const auto &[conversion, matches] : {std::pair{"%pe", "-E[A-Z]+"},
                                              {"%\\\\?\\.\\*s", ".+"},
                                              {"%s", ".+"},
                                              {"%u|%d|%llu|%lld", "[0-9]+"},
                                              {"%llx", "[0-9a-f]+"},
                                              {"%%", "%"}})
        text = std::regex_replace(text, std::regex(conversion), matches);
    return std::regex(text);
}

TEST(KernelMessages, EachHasAnExample) {
    size_t count = 0;
    for (const auto &[name, text] : {
#define TAPIR_TAG(name, text) std::pair<const char *, const char *>{#name, text},
#include <tapir/messages.def>
#undef TAPIR_TAG
         }) {
        count++;
        const auto example = kExamples.find(name);
        ASSERT_NE(example, kExamples.end()) << name << " has none";
        EXPECT_TRUE(std::regex_match(example->second, pattern_of(text))) << name << ": " << text;
    }
    EXPECT_EQ(count, kExamples.size()) << "examples of what is not said any more";
}

}  // namespace
}  // namespace tapir::staprun
