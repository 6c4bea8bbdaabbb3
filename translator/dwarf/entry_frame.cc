// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/entry_frame.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "arch/arch.h"
#include "names/symbol_name.h"

namespace tapir::dwarf {

namespace {

// Returns how many bytes the canonical frame address is above a register; nothing when it is computed in another way.
std::optional<int64_t> above_register(Dwarf_Frame *frame, uint8_t reg) {
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1) return std::nullopt;
    if (ops->atom == DW_OP_bregx && ops->number == reg) return static_cast<int64_t>(ops->number2);
    if (ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31 && ops->atom == DW_OP_breg0 + reg)
        return static_cast<int64_t>(ops->number);
    return std::nullopt;
}

// Where the return address is, in bytes above the canonical frame address; nothing when it is not in memory so.
std::optional<int64_t> above_frame(const Dwarf_Op *ops, size_t count) {
    if (count == 0 || count > 2 || ops[0].atom != DW_OP_call_frame_cfa) return std::nullopt;
    if (count == 1) return 0;
    return ops[1].atom == DW_OP_plus_uconst ? std::optional(static_cast<int64_t>(ops[1].number)) : std::nullopt;
}

// As a call leaves it: at the top of the stack, or in its register.
bool is_as_called(Dwarf_Frame *frame, const arch::Arch *arch, const Dwarf_Op *ops, size_t count) {
    if (!arch) return true;
    const auto stack_offset = static_cast<int64_t>(arch->arguments.stack_offset);
    if (stack_offset == 0) return count == 0;
    return above_register(frame, arch->arguments.stack_pointer) == stack_offset &&
           above_frame(ops, count) == -stack_offset;
}

bool begins_cold_part(const Object &object, uint64_t address) {
    const std::vector<std::string_view> names = object.symbols().functions_at(address);
    return std::any_of(names.begin(), names.end(), is_cold_part);
}

bool is_first_instruction(const Object &object, uint64_t address) {
    GElf_Addr bias = 0;
    GElf_Ehdr header;
    Elf *elf = dwfl_module_getelf(object.module(), &bias);
    return elf && gelf_getehdr(elf, &header) && header.e_entry == address;
}

}  // namespace

std::string why_no_return_address(const Object &object, uint64_t entry) {
    if (is_first_instruction(object, entry)) return "the program begins there: nothing calls it";
    const Frame frame = object.frame(entry);
    if (!frame) return begins_cold_part(object, entry) ? "the rest of the function jumps to it" : "";
    bool signal = false;
    const int column = dwarf_frame_info(frame.get(), nullptr, nullptr, &signal);
    if (signal) return "a signal handler returns to it: nothing calls it";
    Dwarf_Op memory[3], *ops = nullptr;
    size_t count = 0;
    if (column < 0 || dwarf_frame_register(frame.get(), column, memory, &ops, &count) != 0) return {};
    if (count == 0 && ops == memory) return "it has no caller, by its call frame information";
    return is_as_called(frame.get(), arch::find(object.machine()), ops, count)
               ? ""
               : "it is entered by a jump, by its call frame information";
}

}  // namespace tapir::dwarf
