// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How far code goes from a label without a size, as hand-written assembly has it. In a stripped file the next symbol
 * may be far: in between are functions whose symbols are gone. Only of x86-64.
 */
#pragma once

#include <cstdint>

#include "unwind/elf_file.h"

namespace tapir::unwind {

// Returns how many bytes from a place in the file on are what the instructions there lead to without a gap, at most
// `most`. If they lead to places that are not known, or if they are none, it is `most`.
uint32_t label_extent(const ElfFile &file, uint32_t place, uint32_t most);

}  // namespace tapir::unwind
