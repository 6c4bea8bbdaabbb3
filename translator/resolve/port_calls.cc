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

static constexpr std::array<std::string_view, 5> kWords = {"script", "machine", "process", "kernel", "dump"};

std::optional<PortNeed> find_need(std::string_view word) {
    const auto found = std::ranges::find(kWords, word);
    if (found == kWords.end()) return std::nullopt;
    return static_cast<PortNeed>(found - kWords.begin());
}

std::string_view need_word(PortNeed need) {
    return kWords[static_cast<size_t>(need)];
}

}  // namespace tapir::resolve
