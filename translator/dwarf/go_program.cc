// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/go_program.h"

#include <elf.h>

#include <algorithm>
#include <string_view>

namespace tapir::dwarf {

GoProgram::GoProgram(Elf *elf) {
    size_t bytes = 0;
    const char *content = elf ? elf_rawfile(elf, &bytes) : nullptr;
    if (!content) return;
    image_ = std::make_unique<unwind::MemoryImage>(std::string_view(content, bytes));
    is_go_ = file_.parse(*image_).empty() && unwind::go_function_table(file_).has_value();
}

std::span<const unwind::GoFunction> GoProgram::functions() const {
    if (!is_go_) return {};
    if (!table_) table_ = std::make_unique<unwind::GoFunctions>(file_);
    return table_->all();
}

const unwind::GoFunction *GoProgram::function_at(uint64_t address) const {
    const auto all = functions();
    const auto after =
        std::upper_bound(all.begin(), all.end(), address,
                         [](uint64_t at, const unwind::GoFunction &function) { return at < function.start; });
    return after != all.begin() && address - after[-1].start < after[-1].bytes ? &after[-1] : nullptr;
}

uint32_t GoProgram::section_of(uint64_t address) const {
    for (size_t i = 1; i < file_.sections().size(); ++i)
        if (const unwind::Section &one = file_.sections()[i];
            (one.flags & SHF_ALLOC) && address >= one.address && address - one.address < one.memory_bytes)
            return static_cast<uint32_t>(i);
    return 0;
}

}  // namespace tapir::dwarf
