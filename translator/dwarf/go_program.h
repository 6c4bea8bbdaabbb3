// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of a program of Go, as Go's runtime knows them: they are there when symbols and debug information were
// stripped off.
#pragma once

#include <libelf.h>

#include <cstdint>
#include <memory>
#include <span>

#include "unwind/elf_file.h"
#include "unwind/go_functions.h"

namespace tapir::dwarf {

// Not thread-safe.
class GoProgram {
  public:
    // `elf` may be any file, or null. It must outlive this.
    explicit GoProgram(Elf *elf);

    // The functions by address; none in other files, or in versions whose table has another layout. Names live as long
    // as this.
    std::span<const unwind::GoFunction> functions() const;
    // The one whose code an address is in, or null.
    const unwind::GoFunction *function_at(uint64_t address) const;
    // The number of the section that an address is in; 0: of none.
    uint32_t section_of(uint64_t address) const;

  private:
    std::unique_ptr<unwind::MemoryImage> image_;
    unwind::ElfFile file_;
    bool is_go_ = false;
    mutable std::unique_ptr<unwind::GoFunctions> table_;  // read when first asked for
};

}  // namespace tapir::dwarf
