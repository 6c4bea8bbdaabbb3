// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/kernel_options.h"

namespace tapir::machine {

namespace {

constexpr Feature kFeatures[] = {
    {"modules", "what all scripts need", "MODULES MODULE_UNLOAD KALLSYMS KPROBES RELAY PROC_FS"},
    {"begin", "begin, end and error probes", ""},
    {"timer", "timer probes", ""},
    {"function", "probes at the entry of kernel functions", "KPROBES"},
    {"statement", "probes within kernel functions", "KPROBES"},
    {"return", "probes at the return of kernel functions", "KRETPROBES"},
    {"perf", "performance events and timer.profile", "PERF_EVENTS"},
    {"task_counter", "performance events counted in each thread of a program", "PERF_EVENTS UPROBES"},
    {"data", "watchpoints on memory of the kernel", "PERF_EVENTS HAVE_HW_BREAKPOINT"},
    {"user_data", "watchpoints on memory of programs", "PERF_EVENTS HAVE_HW_BREAKPOINT UPROBES"},
    {"procfs", "files below /proc/systemtap", "PROC_FS"},
    {"netfilter", "netfilter hooks", "NETFILTER"},
    {"netfilter.arp", "netfilter hooks for ARP", "NETFILTER NETFILTER_FAMILY_ARP"},
    {"netfilter.bridge", "netfilter hooks of bridges", "NETFILTER NETFILTER_FAMILY_BRIDGE"},
    {"tracepoint", "tracepoints", "TRACEPOINTS"},
    {"uprobe", "probes in programs", "UPROBES"},
    {"uretprobe", "probes at the return of functions of programs", "UPROBES"},
    {"process", "processes and threads that begin and end", "TRACEPOINTS KPROBES TASKSTATS|BSD_PROCESS_ACCT"},
    {"process_syscall", "system calls of processes", "TRACEPOINTS HAVE_SYSCALL_TRACEPOINTS"},
    {"syscall", "system calls by name", "TRACEPOINTS HAVE_SYSCALL_TRACEPOINTS"},
};

// Takes the part up to `separator` off the front.
std::string_view take(std::string_view &text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

}  // namespace

std::span<const Feature> features() {
    return kFeatures;
}

const Feature *find_feature(std::string_view name) {
    for (const Feature &feature : kFeatures)
        if (feature.name == name) return &feature;
    return nullptr;
}

std::string missing_options(const Feature &feature, const OptionValue &value) {
    std::string missing;
    for (std::string_view left = feature.options; !left.empty();) {
        const std::string_view choices = take(left, ' ');
        std::string names;
        bool met = false;
        for (std::string_view choice = choices; !choice.empty();) {
            const std::string name = "CONFIG_" + std::string(take(choice, '|'));
            met |= !value(name).empty();
            names += (names.empty() ? "" : ", ") + name;
        }
        if (met) continue;
        if (names.find(',') != std::string::npos) names = "one of " + names;
        missing += (missing.empty() ? "" : " and ") + names;
    }
    return missing;
}

OptionValue options_of(std::string_view config) {
    return [config](std::string_view name) -> std::string_view {
        const std::string line = "\n" + std::string(name) + "=";
        size_t at = config.find(line);
        if (at != std::string_view::npos) {
            at += line.size();
        } else if (config.substr(0, line.size() - 1) == line.substr(1)) {
            at = line.size() - 1;
        } else {
            return {};
        }
        return config.substr(at, config.find('\n', at) - at);
    };
}

}  // namespace tapir::machine
