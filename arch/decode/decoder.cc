// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/decode/machines.h"

namespace tapir::decode {

const Decoder *decoder_of(unsigned elf_machine) {
    for (const Machine &machine : {x86_64()})
        if (machine.elf_machine == elf_machine) return machine.decoder;
    return nullptr;
}

}  // namespace tapir::decode
