// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/port_calls.h"

#include <algorithm>
#include <array>

namespace tapir::resolve {

namespace {

// The words of ports.def.
constexpr PortNeed SCRIPT = PortNeed::Script, MACHINE = PortNeed::Machine, PROCESS = PortNeed::Process,
                   KERNEL = PortNeed::Kernel, DUMP = PortNeed::Dump;

constexpr auto sorted_calls() {
    std::array calls = {
#define TAPIR_PORT(FUNCTION, NEED) PortCall{#FUNCTION, NEED, true},
#define TAPIR_REACHES(FUNCTION, NEED) PortCall{#FUNCTION, NEED, false},
#include <tapir/ports.def>
#undef TAPIR_PORT
#undef TAPIR_REACHES
    };
    std::ranges::sort(calls, {}, &PortCall::name);
    return calls;
}

constexpr auto kCalls = sorted_calls();

}  // namespace

std::span<const PortCall> port_calls() {
    return kCalls;
}

const PortCall *find_port_call(std::string_view name) {
    const auto found = std::ranges::lower_bound(kCalls, name, {}, &PortCall::name);
    return found != kCalls.end() && found->name == name ? &*found : nullptr;
}

}  // namespace tapir::resolve
