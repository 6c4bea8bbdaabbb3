// SPDX-License-Identifier: GPL-2.0-or-later
// kernel.syscall("NAME") with the kernel's names; of 64-bit programs (.native), of 32-bit ones (.compat), or of both.
// kernel.syscall alone means every call of any number. It misses no return, with any .maxactive().
#include <algorithm>
#include <limits>

#include "base/name_patterns.h"
#include "probes/form.h"
#include "probes/kinds_table.h"
#include "target/syscall_scope.h"

namespace tapir::probes {

namespace {

constexpr Form kSyscallForms[] = {
    {"kernel.syscall"},
    {"kernel.syscall.return"},
    {"kernel.syscall.return.maxactive(number)"},
    {"kernel.syscall(string)"},
    {"kernel.syscall(string).return"},
    {"kernel.syscall(string).return.maxactive(number)"},
    {"kernel.syscall(string).native"},
    {"kernel.syscall(string).native.return"},
    {"kernel.syscall(string).native.return.maxactive(number)"},
    {"kernel.syscall(string).compat"},
    {"kernel.syscall(string).compat.return"},
    {"kernel.syscall(string).compat.return.maxactive(number)"},
};

syscalls::Abi abi_of(const ast::ProbePoint &point) {
    for (const ast::PointComponent &component : point.components) {
        if (component.name == "native") return syscalls::Abi::Native;
        if (component.name == "compat") return syscalls::Abi::Narrow;
    }
    return syscalls::Abi::Any;
}

std::vector<target::SyscallArgument> arguments(const syscalls::Entry &entry) {
    std::vector<target::SyscallArgument> list;
    for (const syscalls::Parameter &parameter : entry.parameters)
        list.push_back({parameter.type, parameter.name});
    return list;
}

// Returns the reason why the kernel has no call of a name, if it is known.
std::string why_not(const syscalls::Calls &calls, const std::string &name) {
    if (has_wildcard(name)) return "";
    const std::string_view reason = calls.table().reason(name);
    if (!reason.empty()) return " (" + std::string(reason) + ")";
    return similar_text(similar_names(name, calls.names()));
}

// One place for the calls of one name and ABI.
Attach attach_for(const syscalls::Entry &entry, const ast::ProbePoint &point, bool at_return,
                  const ResolveContext &context) {
    const std::string abi = abi_of(point) == syscalls::Abi::Any ? "" : entry.narrow ? ".compat" : ".native";
    Attach attach;
    attach.kind = Kind::Syscall;
    attach.point = "kernel.syscall(\"" + entry.name + "\")" + abi + (at_return ? ".return" : "");
    attach.arg = SyscallPlaces{.at_return = at_return};
    attach.scope = target::make_syscall_scope(context.debug, arguments(entry), entry.narrow, at_return);
    return attach;
}

void resolve_syscall(const ast::ProbePoint &point, size_t, const ResolveContext &context, std::vector<Attach> &out) {
    int64_t room = 0;  // which no return needs
    if (point.components.back().name == "maxactive" &&
        !argument_between(point.components.back(), 0, std::numeric_limits<uint16_t>::max(), context.diagnostics, room))
        return;
    const bool at_return = std::any_of(point.components.begin(), point.components.end(),
                                       [](const ast::PointComponent &part) { return part.name == "return"; });
    const ast::PointComponent &component = point.components[1];
    const syscalls::Calls *calls = context.calls ? context.calls() : nullptr;
    if (!component.arg) {
        Attach attach;
        attach.kind = Kind::Syscall;
        attach.point = point.str();
        attach.arg = SyscallPlaces{.at_return = at_return, .every = true};
        attach.scope = target::make_syscall_scope(context.debug, {}, false, at_return);
        out.push_back(std::move(attach));
        return;
    }
    const std::string &name = string_argument(component);
    if (!calls || !calls->missing().empty()) {
        context.diagnostics.report(Tag::NoSuchSyscall, component.arg->at,
                                   "the kernel's system calls are not known" + (calls ? ": " + calls->missing() : ""));
        return;
    }
    const std::vector<size_t> found = calls->find(name, abi_of(point));
    if (found.empty())
        context.diagnostics.report(Tag::NoSuchSyscall, component.arg->at,
                                   "this kernel has no system call '" + name + "'" + why_not(*calls, name));
    const size_t before = out.size();
    for (size_t i : found) {
        const syscalls::Entry &entry = calls->entries()[i];
        Attach made = attach_for(entry, point, at_return, context);
        const auto same =
            std::find_if(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), [&](const Attach &a) {
                const syscalls::Entry &other = calls->entries()[a.as<SyscallPlaces>().entries.front()];
                return a.point == made.point && other.narrow == entry.narrow;
            });
        if (same == out.end()) {
            out.push_back(std::move(made));
            out.back().as<SyscallPlaces>().entries = {i};
        } else {
            same->as<SyscallPlaces>().entries.push_back(i);
        }
    }
}

void write_syscall(const Attach &attach, Arg &out) {
    const auto &places = attach.as<SyscallPlaces>();
    out.type("tapir_syscall_arg");
    out.number("at_return", int{places.at_return});
    out.number("every", int{places.every});
    out.syscalls("entries", "count", places.entries);
}

}  // namespace

const KindOps kSyscall = {.forms = kSyscallForms, .resolve = resolve_syscall, .write_arg = write_syscall};

}  // namespace tapir::probes
