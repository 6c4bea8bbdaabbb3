// SPDX-License-Identifier: GPL-2.0-or-later
// The decoders there are, each in a file of its own.
#pragma once

#include "arch/decode/instruction.h"

namespace tapir::decode {

struct Machine {
    unsigned elf_machine;
    const Decoder *decoder;
};

Machine x86_64();

}  // namespace tapir::decode
