// SPDX-License-Identifier: GPL-2.0-or-later
// The functions by which embedded C reaches what is below it, and what each of them needs (tapir/ports.def).
#pragma once

#include <span>
#include <string_view>

namespace tapir::resolve {

enum class PortNeed { Script, Machine, Process, Kernel, Dump };

struct PortCall {
    std::string_view name;
    PortNeed need;
    bool is_port;  // a function of the port, not of the runtime above it
};

// All rows of ports.def, sorted by name.
std::span<const PortCall> port_calls();

// The row of that name; nullptr if there is none.
const PortCall *find_port_call(std::string_view name);

}  // namespace tapir::resolve
