// SPDX-License-Identifier: GPL-2.0-or-later
// Advice about a switch that is in the way, in the same words everywhere.
#pragma once

#include <string>

#include "machine/facts.h"

namespace tapir::machine {

inline constexpr char kFtraceAdvice[] = "switch it on: sysctl kernel.ftrace_enabled=1";
inline constexpr char kKprobesAdvice[] = "switch them on: echo 1 > /sys/kernel/debug/kprobes/enabled";

// For a kernel that takes only signed modules.
std::string signature_advice(const Facts &facts);

}  // namespace tapir::machine
