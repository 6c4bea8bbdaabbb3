// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool/driver_options.h"

#include <algorithm>
#include <iterator>

namespace tapir::tool {
namespace {

constexpr DriverOption kDriverOptions[] = {
    {"pid", 'p', "PID", Group::Subject, "look at this process (also -x); several by commas; -PGID: a process group"},
    {"exe", 0, "PATH", Group::Subject, "look at the processes that run this program"},
    {"unit", 0, "NAME", Group::Subject, "look at the tasks of this systemd unit"},
    {"cgroup", 0, "PATH", Group::Subject, "look at the tasks of this control group, and of those below it"},
    {"container", 0, "ID", Group::Subject, "look at the tasks of this container"},
    {"core", 0, "FILE", Group::Subject, "look at this core file, or at a dump of a kernel"},
    {"snapshot", 0, "[stop|run]", Group::Subject, "look at -p PID as it stands, without a kernel module"},
    {"command", 'c', "CMD", Group::Subject, "start CMD, look at it, and end with it"},
    {"duration", 'T', "TIME", Group::Running, "end after so long (5, 90s, 10m)"},
    {"max-events", 0, "N", Group::Running, "end when so many triggers have fired"},
    {"until", 0, "TRIGGER", Group::Running, "end when this trigger has fired; \"trigger\": any"},
    {"output", 'o', "FILE", Group::Running, "write to FILE; its suffix chooses a picture: .html, .svg, ..."},
    {"format", 0, "FORMAT", Group::Running, "write text, or json or csv for programs"},
    {"refresh", 0, "[TIME]", Group::Running, "show its tables while it runs, anew so often (1s)"},
    {"top", 0, "[N]", Group::Running, "the same, with the N largest rows of each table (20)"},
    {"metrics", 0, "", Group::Running, "tell its metrics when a program asks, and at the end"},
    {"push", 0, "URL", Group::Running, "push its metrics or its profile to a collector"},
    {"monitor", 0, "[TIME]", Group::Running, "show its probes and globals, switch and reset them by keys"},
    {"min-quality", 0, "PERCENT", Group::Running, "of a picture: exit status 3 if fewer samples are complete"},
    {"budget", 0, "PERCENT", Group::Running, "handle only as many hits as that share of each processor allows"},
    {"budget-file", 0, "FILE", Group::Running, "share the budget with the sessions that name this file"},
    {"vm", 0, "[RELEASE]", Group::Running, "run in a QEMU guest with this kernel"},
    {"remote", 0, "HOST", Group::Running, "run on [user@]host[:port]; repeatable"},
    {"use-server", 0, "[URL]", Group::Running, "have a build server make the module"},
    {"verbose", 'v', "", Group::Running, "say more; repeatable"},
    {"cost", 0, "", Group::About, "say what it would cost, and do not run it"},
    {"rates", 0, "FILE", Group::About, "of --cost: hits a second of each probe point, or the --ledger of a run"},
    {"assume", 0, "NAME=VALUE,...", Group::About, "of --cost: frames, kernel-frames, text, elements, turns, cpus, ips"},
    {"help", 'h', "", Group::About, "print this summary"},
    {"man", 0, "", Group::About, "print a manual page, for man -l -"},
    {"completion", 0, "SHELL", Group::About, "print a completion script for bash, zsh or fish"},
    {"describe", 0, "", Group::About, "print the options and what they take, as JSON"},
};

}  // namespace

std::span<const DriverOption> driver_options() {
    return kDriverOptions;
}

std::string left_out(const DriverOption &option) {
    const size_t bar = option.metavar.find('|');
    return bar == std::string_view::npos ? "default" : std::string(option.metavar.substr(1, bar - 1));
}

const DriverOption *find_driver_option(std::string_view name) {
    const auto option = std::find_if(std::begin(kDriverOptions), std::end(kDriverOptions),
                                     [&](const DriverOption &o) { return o.name == name; });
    return option == std::end(kDriverOptions) ? nullptr : option;
}

bool is_driver_name(std::string_view name) {
    return find_driver_option(name) != nullptr;
}

bool is_driver_letter(char letter) {
    return letter == 'x' || std::any_of(std::begin(kDriverOptions), std::end(kDriverOptions),
                                        [&](const DriverOption &option) { return option.letter == letter; });
}

}  // namespace tapir::tool
