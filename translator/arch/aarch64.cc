// SPDX-License-Identifier: GPL-2.0-or-later
// AArch64: Procedure Call Standard, DWARF and ELF for the Arm 64-bit Architecture. Modules are compiled for it and were
// not run (docs/kernels.md).
#include <elf.h>

#include "arch/arch.h"
#include "arch/operand_text.h"

namespace tapir::arch {

namespace {

// ---- operands

constexpr Register kStackPointer = {"sp", 31, 8};

// "x0", "w1", "sp"
std::optional<Register> find_register(std::string_view text) {
    if (text == kStackPointer.name) return kStackPointer;
    if (text.size() < 2 || (text[0] != 'x' && text[0] != 'w')) return std::nullopt;
    const auto number = whole_number(text.substr(1));
    if (!number || *number < 0 || *number > 30) return std::nullopt;
    return Register{text, static_cast<uint8_t>(*number), static_cast<uint8_t>(text[0] == 'x' ? 8 : 4)};
}

// "5", "x0", "w1", "[sp, 16]", "[x0]"
std::optional<Operand> parse_operand(std::string_view text) {
    Operand operand;
    if (const auto value = whole_number(text)) {
        operand.number = *value;
        return operand;
    }
    if (const auto reg = find_register(text)) {
        operand.kind = Operand::Kind::Register;
        operand.base = reg;
        return operand;
    }
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return std::nullopt;
    text = text.substr(1, text.size() - 2);
    const size_t comma = text.find(',');
    operand.kind = Operand::Kind::Memory;
    operand.base = find_register(trimmed(text.substr(0, comma)));
    if (!operand.base || operand.base->bytes != 8) return std::nullopt;
    if (comma == std::string_view::npos) return operand;
    const auto offset = whole_number(trimmed(text.substr(comma + 1)));
    if (!offset) return std::nullopt;
    operand.number = *offset;
    return operand;
}

// ---- linkage tables

// [bti c] adrp x16, page; ldr x17, [x16, #offset]
std::optional<uint64_t> find_slot(const Code &code, size_t at, uint64_t) {
    constexpr uint32_t kBtiC = 0xd503245f;
    if (code.size - at >= 4 && code.word(at) == kBtiC) at += 4;
    if (code.size - at < 8) return std::nullopt;
    const uint32_t adrp = code.word(at), load = code.word(at + 4);
    if ((adrp & 0x9f00001f) != 0x90000010 || (load & 0xffc003ff) != 0xf9400211) return std::nullopt;
    const uint32_t pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
    const int64_t distance = static_cast<int64_t>(static_cast<uint64_t>(pages) << 43) >> 31;  // 21 bits, of 4096 bytes
    return ((code.address + at) & ~uint64_t{0xfff}) + static_cast<uint64_t>(distance) + (load >> 10 & 0xfff) * 8;
}

constexpr LinkageTable kTables[] = {{EM_AARCH64, R_AARCH64_IRELATIVE, 4, find_slot}};

}  // namespace

const Arch kAarch64 = {
    .name = "aarch64",
    .elf_machine = EM_AARCH64,
    .config_symbol = "CONFIG_ARM64",
    .source_name = "arm64",
    .debian_name = "arm64",
    .saved_registers = 33,  // x0 to x30, sp, pc
    .call_bytes = 4,
    .arguments = {.registers = {0, 1, 2, 3, 4, 5, 6, 7},
                  .count = 8,
                  .stack_pointer = 31,
                  .stack_offset = 0,
                  .large_by_reference = true,
                  .stack_ends_registers = true,
                  .pairs_begin_even = true},
    // The address of a result in memory is in x8, which the function need not keep.
    .result = {.first = 0, .second = 1, .address_is_argument = false, .address_is_returned = false},
    .preserved = 0x3ff80000,  // x19 to x29
    // Since 6.2 what ftrace gives is not laid out as struct pt_regs.
    .leaf_entry = 0,
    .leaf_return = 0,
    .leaf_program = 0,
    // TPIDR_EL0
    .thread_local_storage = {.pointer = 36,
                             .blocks_below = false,
                             .header = 16,
                             .vector = 0,
                             .module_relocation = R_AARCH64_TLS_DTPMOD,
                             .offset_relocation = R_AARCH64_TLS_TPREL},
    .parse_operand = parse_operand,
    .tables = kTables,
    // Kernels before 6.11 have them only as macros of <uapi/asm-generic/unistd.h>.
    .syscalls = {.tables = false, .entry_prefixes = {"__arm64_compat_", "__arm64_"}},
    .guest = {.program = "qemu-system-aarch64",
              .machine = "virt",
              .console = "ttyAMA0",
              .debian_package = "qemu-system-arm",
              .fedora_package = "qemu-system-aarch64"},
};

}  // namespace tapir::arch
