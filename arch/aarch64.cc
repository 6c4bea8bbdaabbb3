// SPDX-License-Identifier: GPL-2.0-or-later
// AArch64: Procedure Call Standard, DWARF and ELF for the Arm 64-bit Architecture. Modules are compiled for it and were
// not run (docs/kernels.md).
#include <elf.h>

#include <algorithm>

#include "arch/arch.h"
#include "arch/operand_text.h"

namespace tapir::arch {

namespace {

// ---- operands

constexpr Register kNames[] = {{"sp", 31, 8}, {"wsp", 31, 4}, {"fp", 29, 8}, {"lr", 30, 8}};

// "x0", "w1", "sp"
std::optional<Register> find_register(std::string_view text) {
    for (const Register &reg : kNames)
        if (text == reg.name) return reg;
    if (text.size() < 2 || (text[0] != 'x' && text[0] != 'w')) return std::nullopt;
    const auto number = whole_number(text.substr(1));
    if (!number || *number < 0 || *number > 30) return std::nullopt;
    return Register{text, static_cast<uint8_t>(*number), static_cast<uint8_t>(text[0] == 'x' ? 8 : 4)};
}

// "#5", "8+4", "symbol+8", ":lo12:symbol": the rest of an address after its page.
bool add(std::string_view text, Operand &operand) {
    if (text.starts_with('#')) text.remove_prefix(1);
    if (text.starts_with(':')) text.remove_prefix(std::min(text.find(':', 1), text.size() - 1) + 1);
    const auto sum = Expression(text).read();
    if (!sum || (!sum->symbol.empty() && !operand.symbol.empty())) return false;
    operand.number += sum->number;
    if (!sum->symbol.empty()) operand.symbol = sum->symbol;
    return true;
}

// "lsl #3", "sxtw", "uxtw 2"
bool set_extension(std::string_view text, Operand &operand) {
    const size_t blank = std::min(text.find_first_of(" #"), text.size());
    const std::string_view how = text.substr(0, blank);
    std::string_view amount = trimmed(text.substr(blank));
    if (amount.starts_with('#')) amount.remove_prefix(1);
    const auto shift = amount.empty() ? std::optional<int64_t>(0) : whole_number(amount);
    if (!shift || *shift < 0 || *shift > 4) return false;
    if (how == "uxtw" || how == "sxtw")
        operand.extend_index = how == "sxtw" ? Operand::Extend::Sign : Operand::Extend::Zero;
    else if (how != "lsl" && how != "sxtx" && how != "uxtx")
        return false;
    operand.scale = int64_t{1} << *shift;
    return true;
}

// "sp, 16", "x0, x1, lsl 3", "x0, w1, sxtw"
bool parse_address(std::string_view text, Operand &operand) {
    for (int part = 0; !text.empty(); ++part) {
        const size_t comma = std::min(text.find(','), text.size());
        const std::string_view one = trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        const auto reg = find_register(one);
        if (part == 0)
            operand.base = reg;
        else if (part == 1 && reg)
            operand.index = reg;
        else if (part == 2 && operand.index ? !set_extension(one, operand) : !add(one, operand))
            return false;
    }
    const bool narrow_index = operand.index && operand.index->bytes == 4;
    // The page's address is in the base.
    if (!operand.symbol.empty()) operand.base.reset();
    return (operand.base || !operand.symbol.empty()) && (!operand.base || operand.base->bytes == 8) &&
           narrow_index == (operand.extend_index != Operand::Extend::None);
}

// "5", "x0", "w1", "[sp, 16]", "[x0]", "symbol"
std::optional<Operand> parse_operand(std::string_view text) {
    Operand operand;
    if (text == "xzr" || text == "wzr") return operand;
    if (const auto reg = find_register(text)) {
        operand.kind = Operand::Kind::Register;
        operand.base = reg;
        return operand;
    }
    if (!text.starts_with('[')) {
        if (!add(text, operand)) return std::nullopt;
        if (!operand.symbol.empty()) operand.kind = Operand::Kind::Memory;
        return operand;
    }
    operand.kind = Operand::Kind::Memory;
    const size_t close = text.find(']');
    // "[sp], 16" adds after the access, "[sp, 16]!" before it.
    const std::string_view after = text.substr(std::min(close + 1, text.size()));
    if (close == std::string_view::npos || (!after.empty() && after != "!" && !after.starts_with(',')))
        return std::nullopt;
    return parse_address(text.substr(1, close - 1), operand) ? std::optional(operand) : std::nullopt;
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

// ---- calls

// Up to four equal floating-point numbers or vectors are each in a vector register (section 5.9.5).
size_t numbers_in(std::span<const Scalar> scalars, uint64_t size) {
    constexpr size_t kMost = 4;
    if (scalars.empty()) return 0;
    const Scalar &first = scalars[0];
    for (const Scalar &scalar : scalars)
        if (scalar.kind == Scalar::Kind::Integer || scalar.kind != first.kind || scalar.size != first.size ||
            scalar.offset % first.size)
            return 0;
    const bool whole = size % first.size == 0 && size / first.size <= kMost;
    return whole ? size / first.size : 0;
}

Parts parts_of(std::span<const Scalar> scalars, uint64_t size, bool) {
    constexpr uint64_t kWord = 8;
    Parts parts;
    for (size_t left = numbers_in(scalars, size); left > 0; --left)
        parts.list[parts.count++] = {Hold::Vector, static_cast<uint8_t>(scalars[0].size)};
    if (parts.count > 0) return parts;
    if (size > 2 * kWord) return {.in_memory = true};
    for (uint64_t at = 0; at < size; at += kWord)
        parts.list[parts.count++] = {Hold::Integer, static_cast<uint8_t>(std::min(kWord, size - at))};
    return parts;
}

// bl, b
size_t call_length(std::span<const unsigned char, kLongestCall> before) {
    return (before[4] & 0x7c) == 0x14 ? 4 : 0;
}

// hint #n, but not those that sign or check an address: nop and bti
size_t idle_length(std::span<const unsigned char> code) {
    uint32_t word;
    if (code.size() < sizeof word) return 0;
    std::memcpy(&word, code.data(), sizeof word);
    return word == 0xd503201f || (word & 0xffffff3f) == 0xd503241f ? sizeof word : 0;
}

// Go: cmd/internal/obj/arm64/obj7.go, stacksplit(), and its callees.
std::bitset<128> stored(std::span<const unsigned char> code) {
    constexpr unsigned kVectors = 64;
    std::bitset<128> found;
    for (size_t at = 0; at + 4 <= code.size(); at += 4) {
        uint32_t word;
        std::memcpy(&word, &code[at], sizeof word);
        if ((word & 0xfc000000) == 0x94000000) break;        // bl
        const bool one = (word & 0x3bc003e0) == 0x390003e0;  // str Rt, [sp, #N]
        const bool two = (word & 0x3bc003e0) == 0x290003e0;  // stp Rt, Rt2, [sp, #N]
        const unsigned first = word & 0x04000000 ? kVectors : 0;
        if (one || two) found.set(first + (word & 31));
        if (two) found.set(first + (word >> 10 & 31));
    }
    return found;
}

// Go: cmd/internal/obj/arm64/obj7.go, stacksplit(). x16 is the goroutine's limit, x17 where the frame will end.
size_t stack_check(std::span<const unsigned char> code, int64_t &jumps_to) {
    constexpr uint32_t kImmediate = 0xffc003ff;
    size_t behind = 0;
    for (size_t at = 0; at + 4 <= code.size(); at += 4) {
        uint32_t word;
        std::memcpy(&word, &code[at], sizeof word);
        const bool jump = (word & 0xff00000f) == 0x54000009 || (word & 0xff00000f) == 0x54000003;  // b.ls, b.lo
        if (jump && at > 0) {
            jumps_to = static_cast<int64_t>(at) + static_cast<int32_t>((word & 0xffffe0) << 8) / (1 << 13) * 4;
            behind = at + 4;
            continue;
        }
        const bool limit = (word & kImmediate) == 0xf9400390 ||  // ldr x16, [x28, #N]
                           word == 0xeb3063ff ||                 // cmp sp, x16
                           (word & 0xff8003ff) == 0xd10003f1 ||  // sub x17, sp, #N
                           (word & 0xff8003ff) == 0xf10003f1 ||  // subs x17, sp, #N
                           word == 0xeb10023f;                   // cmp x17, x16
        if (!limit) break;
    }
    return behind;
}

constexpr LinkageTable kTables[] = {{EM_AARCH64, R_AARCH64_RELATIVE, R_AARCH64_IRELATIVE, 4, find_slot}};

}  // namespace

const Arch kAarch64 = {
    .name = "aarch64",
    .elf_machine = EM_AARCH64,
    .config_symbol = "CONFIG_ARM64",
    .source_name = "arm64",
    .debian_name = "arm64",
    .saved_registers = 33,  // x0 to x30, sp, pc
    .vector_registers = 0,
    .call_length = call_length,
    .idle_length = idle_length,
    // For a handler the kernel does not step over it: the access would trap again and again.
    .watches_after_access = false,
    .arguments = {.registers = {0, 1, 2, 3, 4, 5, 6, 7},
                  .count = 8,
                  .vector_count = 8,
                  .first_vector = 0,
                  .parts = parts_of,
                  .stack_pointer = 31,
                  .frame_pointer = 29,
                  .stack_offset = 0,
                  .large_by_reference = true,
                  .stack_ends_registers = true,
                  .pairs_begin_even = true},
    // X0 to X15; F0 to F15, which no hit reads
    .go = {.registers = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
           .count = 16,
           .first_vector = 64,
           .vector_count = 16,
           .stack_offset = 8,
           .stack_check = stack_check,
           .stored = stored},
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
                             .offset_relocation = R_AARCH64_TLS_TPREL,
                             .linker = "ld-linux-aarch64.so.1"},
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
