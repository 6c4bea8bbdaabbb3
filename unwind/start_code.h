// SPDX-License-Identifier: GPL-2.0-or-later
// Code that compilers link into every program and library, and that no unwind information speaks of: what registers
// transactional memory and runs destructors (crtbegin.o), and the sections .init and .fini (crti.o, crtn.o).
#pragma once

#include <cstdint>
#include <vector>

#include "unwind/elf_file.h"

namespace tapir::unwind {

// Code in which the CFA is `words` words above the stack pointer. With `saves_frame`, the upper one of two words is the
// caller's frame pointer.
struct StartCode {
    uint64_t start = 0, end = 0;  // addresses
    unsigned words = 1;
    bool saves_frame = false;
};

// Recognises start-up code by its instructions; without overlaps, in any order.
std::vector<StartCode> start_code(const ElfFile &file);

}  // namespace tapir::unwind
