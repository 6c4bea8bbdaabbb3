// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpf/link/bpf_instruction.h"

namespace tapir::bpf {

bool Instruction::is_jump() const {
    return (kind() == kJump || kind() == kJump32) && code != kCall && code != kExit;
}

Instruction make(uint8_t code, unsigned destination, unsigned source, int offset, int32_t immediate) {
    return {code, static_cast<uint8_t>(destination | source << 4), static_cast<int16_t>(offset), immediate};
}

}  // namespace tapir::bpf
