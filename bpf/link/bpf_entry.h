// SPDX-License-Identifier: GPL-2.0-or-later
// The code around a handler.
#pragma once

#include <cstdint>

#include "bpf/link/image.h"

namespace tapir::bpf {

// At the entry of a kernel's function: registers of the hit go to the handler's context.
Function kprobe_entry(const Function &handler, uint32_t probe, int arena);

// In the loader: register 1 is the session's context (struct tapir_bpf_context).
Function session_entry(const Function &handler, uint32_t probe);

// A function by itself, whose arguments are in their registers already.
Function plain_entry(const Function &function);

}  // namespace tapir::bpf
