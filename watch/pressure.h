// SPDX-License-Identifier: GPL-2.0-or-later
// Pressure stall information: the kernel tells when tasks wait too much for processors, memory or disks.
#pragma once

#include <string>

#include "common/descriptor.h"
#include "common/outcome.h"

namespace tapir::watch {

// "cpu some 15% 2s": tasks waited for that share of so long.
struct Pressure {
    std::string resource;  // "cpu", "memory", "io" or "irq"
    std::string who;       // "some" or "full"
    unsigned stall_us = 0, window_us = 0;
    std::string text() const;
};

// Misuse, with what can be written.
Outcome<Pressure> read_pressure(const std::string &text);

// A trigger of the kernel. poll() says POLLPRI on its descriptor at most once in the window. FileUnwritable: the kernel
// has none, or does not allow it.
Outcome<Descriptor> watch_pressure(const Pressure &pressure, const std::string &folder = "/proc/pressure");

}  // namespace tapir::watch
