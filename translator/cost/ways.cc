// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost/ways.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/descriptor.h"
#include "common/regular_file.h"

#include <unistd.h>

namespace tapir::cost {

using probes::Attach;
using probes::FunctionSite;
using probes::Kind;

namespace {

struct Figures {
    std::string_view name;
    double leaf, context;
};
constexpr Figures kFigures[] = {
#define TAPIR_HIT_COST(Name, name, leaf, context) {name, leaf, context},
#include <tapir/hit_costs.def>
    {"", 0, 0},
};

// So many probes have an entry of their own; kmod/kind_function.c and kind_tracepoint.c.
constexpr size_t kOwn = 4;

// Does the kernel emulate the instruction, rather than execute a copy of it? (arch/x86/kernel/uprobes.c)
bool is_emulated(const unsigned char (&code)[2]) {
    const unsigned char first = code[0];
    const bool pushes = (first & 0xf8) == 0x50 || (first == 0x41 && (code[1] & 0xf8) == 0x50);
    const bool jumps = first == 0xe8 || first == 0xe9 || first == 0xeb || (first & 0xf0) == 0x70 ||
                       (first == 0x0f && (code[1] & 0xf0) == 0x80);
    return pushes || jumps || first == 0x90 || (first == 0x0f && code[1] == 0x1f);
}

// The way to a place of a program. What cannot be read is taken for the dearer one.
Way program_way(const std::string &path, uint64_t offset) {
    const Descriptor file(open_regular(path.c_str()));
    unsigned char code[2] = {};
    if (file.get() < 0 || pread(file.get(), code, sizeof code, static_cast<off_t>(offset)) != sizeof code)
        return Way::UprobeStep;
    return is_emulated(code) ? Way::UprobeEmulate : Way::UprobeStep;
}

std::string path_of(const Attach &attach) {
    const auto *code = std::get_if<probes::UserCode>(&attach.arg);
    return code ? code->path : "";
}

// Names a place: without a symbol the offset is its address.
std::string name_of(const FunctionSite &site) {
    return site.symbol + "+" + std::to_string(site.offset);
}

Way entry_way(const Attach &attach) {
    return attach.sites.empty() ? Way::UprobeStep
                                : program_way(path_of(attach), static_cast<uint64_t>(attach.sites[0].offset));
}

bool is_timer_of_thread(const ir::Handler &handler, const Attach &attach) {
    return handler.report && probes::may_be_late(attach);
}

Way perf_way(const Attach &attach) {
    constexpr uint32_t kSoftware = 1;
    constexpr uint64_t kLastClock = 1;  // the software events of clocks are 0 and 1
    const auto *event = std::get_if<probes::PerfEvent>(&attach.arg);
    const bool ticks = event && !event->period && !event->frequency;
    return !event || ticks || (event->type == kSoftware && event->config <= kLastClock) ? Way::Profile : Way::PerfEvent;
}

}  // namespace

std::string_view name_of(Way way) {
    return kFigures[static_cast<size_t>(way)].name;
}

double around_hit(Way way, bool leaf) {
    const Figures &figures = kFigures[static_cast<size_t>(way)];
    return leaf && figures.leaf > 0 ? figures.leaf : figures.context;
}

Ways::Ways(const ir::Module &module) {
    size_t functions = 0, tracepoints = 0;
    std::map<std::string, size_t> handlers_at;
    for (const ir::Handler &handler : module.handlers)
        for (const Attach &attach : handler.attaches) {
            if (handler.is_entry) continue;
            functions += attach.kind == Kind::Function;
            if (attach.kind == Kind::Tracepoint && ++tracepoints > kOwn) shared_tracepoints_.insert(&attach);
            for (const FunctionSite &site : attach.sites) {
                if (attach.kind == Kind::Return) returned_.push_back(name_of(site));
                if (attach.kind == Kind::Function && ++handlers_at[name_of(site)] > 1) own_ftrace_ = false;
            }
        }
    own_ftrace_ &= functions <= kOwn;
    std::sort(returned_.begin(), returned_.end());
}

Way Ways::of(const ir::Handler &handler, const Attach &attach) const {
    switch (attach.kind) {
        case Kind::Function: {
            const FunctionSite site = attach.sites.empty() ? FunctionSite() : attach.sites.front();
            const bool kprobe = std::binary_search(returned_.begin(), returned_.end(), name_of(site)) ||
                                site.symbol.find(':') != std::string::npos;
            return kprobe ? Way::FunctionKprobe : own_ftrace_ ? Way::FunctionFtrace : Way::FunctionShared;
        }
        case Kind::Statement:
            return Way::Breakpoint;
        case Kind::Return:
            return Way::Return;
        case Kind::Tracepoint:
            return shared_tracepoints_.contains(&attach) ? Way::TracepointShared : Way::Tracepoint;
        case Kind::Syscall:
            return attach.as<probes::SyscallPlaces>().at_return ? Way::SyscallReturn : Way::Syscall;
        case Kind::ProcessSyscall:
            return Way::Syscall;
        case Kind::Uprobe:
            return entry_way(attach);
        case Kind::Uretprobe:
            return !attach.sites.empty() && !attach.sites[0].exits.empty() ? Way::UprobeReturn : Way::Uretprobe;
        case Kind::Timer:
            return is_timer_of_thread(handler, attach) ? Way::TimerThread : Way::Timer;
        case Kind::Perf:
            return perf_way(attach);
        case Kind::TaskCounter:
            return Way::PerfEvent;
        case Kind::Data:
        case Kind::UserData:
            return Way::Watch;
        case Kind::Process:
            return Way::Process;
        case Kind::Netfilter:
            return Way::Packet;
        case Kind::Procfs:
            return Way::File;
        default:
            return Way::None;
    }
}

double Ways::around_entry(const ir::Handler &handler, const Attach &attach) const {
    // The kernel follows calls from a uprobe on the entry.
    if (attach.kind == Kind::Uretprobe && of(handler, attach) == Way::Uretprobe) {
        const double followed = handler.entry < 0 ? 0 : around_hit(Way::UretprobeKept, false);
        return followed + around_hit(entry_way(attach), handler.entry < 0);
    }
    if (handler.entry < 0) return 0;
    switch (attach.kind) {
        case Kind::Return:
            return around_hit(Way::ReturnEntry, false);
        case Kind::Syscall:
            return around_hit(Way::SyscallEntry, false);
        case Kind::Uretprobe:
            return around_hit(Way::UretprobeEntry, false) + around_hit(entry_way(attach), false);
        default:
            return 0;
    }
}

double Ways::around(const ir::Handler &handler, const Attach &attach) const {
    const bool attempted = attach.facts().attempts && handler.attempt.has_value();
    return around_hit(of(handler, attach), handler.leaf || attempted) + around_entry(handler, attach);
}

}  // namespace tapir::cost
