// SPDX-License-Identifier: GPL-2.0-or-later
// x86-64: System V ABI, AMD64 supplement. The linkage tables of its 32-bit programs are here, too.
#include <elf.h>

#include "arch/arch.h"
#include "arch/operand_text.h"

namespace tapir::arch {

namespace {

// ---- operands, in AT&T's syntax

// DWARF numbers: figure 3.36.
constexpr Register kRegisters[] = {
    {"rax", 0, 8},   {"eax", 0, 4},   {"ax", 0, 2},    {"al", 0, 1},    {"ah", 0, 1, 8}, {"rdx", 1, 8},
    {"edx", 1, 4},   {"dx", 1, 2},    {"dl", 1, 1},    {"dh", 1, 1, 8}, {"rcx", 2, 8},   {"ecx", 2, 4},
    {"cx", 2, 2},    {"cl", 2, 1},    {"ch", 2, 1, 8}, {"rbx", 3, 8},   {"ebx", 3, 4},   {"bx", 3, 2},
    {"bl", 3, 1},    {"bh", 3, 1, 8}, {"rsi", 4, 8},   {"esi", 4, 4},   {"si", 4, 2},    {"sil", 4, 1},
    {"rdi", 5, 8},   {"edi", 5, 4},   {"di", 5, 2},    {"dil", 5, 1},   {"rbp", 6, 8},   {"ebp", 6, 4},
    {"bp", 6, 2},    {"bpl", 6, 1},   {"rsp", 7, 8},   {"esp", 7, 4},   {"sp", 7, 2},    {"spl", 7, 1},
    {"r8", 8, 8},    {"r8d", 8, 4},   {"r8w", 8, 2},   {"r8b", 8, 1},   {"r9", 9, 8},    {"r9d", 9, 4},
    {"r9w", 9, 2},   {"r9b", 9, 1},   {"r10", 10, 8},  {"r10d", 10, 4}, {"r10w", 10, 2}, {"r10b", 10, 1},
    {"r11", 11, 8},  {"r11d", 11, 4}, {"r11w", 11, 2}, {"r11b", 11, 1}, {"r12", 12, 8},  {"r12d", 12, 4},
    {"r12w", 12, 2}, {"r12b", 12, 1}, {"r13", 13, 8},  {"r13d", 13, 4}, {"r13w", 13, 2}, {"r13b", 13, 1},
    {"r14", 14, 8},  {"r14d", 14, 4}, {"r14w", 14, 2}, {"r14b", 14, 1}, {"r15", 15, 8},  {"r15d", 15, 4},
    {"r15w", 15, 2}, {"r15b", 15, 1}, {"rip", 16, 8},
};

// "%rdi"
std::optional<Register> find_register(std::string_view text) {
    if (!text.starts_with('%')) return std::nullopt;
    for (const Register &reg : kRegisters)
        if (text.substr(1) == reg.name) return reg;
    return std::nullopt;
}

// "%base", "%base,%index", "%base,%index,scale", ",%index,scale"
bool parse_address(std::string_view text, Operand &operand) {
    std::array<std::string_view, 3> parts;
    size_t count = 0;
    while (count < parts.size()) {
        const size_t comma = text.find(',');
        parts[count++] = trimmed(text.substr(0, comma));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    for (size_t i = 0; i < 2 && i < count; ++i) {
        if (parts[i].empty()) continue;
        const auto reg = find_register(parts[i]);
        if (!reg || reg->bytes != 8) return false;
        (i == 0 ? operand.base : operand.index) = reg;
    }
    if (operand.index && count == 3) operand.scale = whole_number(parts[2]).value_or(0);
    return operand.scale == 1 || operand.scale == 2 || operand.scale == 4 || operand.scale == 8;
}

// "symbol", "symbol+8", "8+symbol"
void parse_symbol(std::string_view text, Operand &operand) {
    operand.symbol = text;
    const size_t sign = text.find_first_of("+-", 1);
    if (sign == std::string_view::npos) return;
    if (const auto after = whole_number(text.substr(sign))) {
        operand.number = *after;
        operand.symbol = text.substr(0, sign);
    } else if (const auto before = whole_number(text.substr(0, sign)); before && text[sign] == '+') {
        operand.number = *before;
        operand.symbol = text.substr(sign + 1);
    }
}

// "$5", "%rdi", "-4(%rbp)", "8(%rax,%rcx,4)", "symbol+8(%rip)"
std::optional<Operand> parse_operand(std::string_view text) {
    Operand operand;
    if (text.starts_with('$')) {
        const auto value = whole_number(text.substr(1));
        if (!value) return std::nullopt;
        operand.number = *value;
        return operand;
    }
    if (text.starts_with('%')) {
        operand.kind = Operand::Kind::Register;
        operand.base = find_register(text);
        return operand.base ? std::optional(operand) : std::nullopt;
    }
    const size_t open = text.find('(');
    if (open == std::string_view::npos || text.back() != ')') return std::nullopt;
    const std::string_view before = trimmed(text.substr(0, open)),
                           inside = trimmed(text.substr(open + 1, text.size() - open - 2));
    const auto displacement = before.empty() ? std::optional<int64_t>(0) : whole_number(before);
    if (inside == "%rip") {
        if (displacement) return std::nullopt;
        operand.kind = Operand::Kind::Symbol;
        parse_symbol(before, operand);
        return operand;
    }
    if (!displacement || !parse_address(inside, operand)) return std::nullopt;
    operand.kind = Operand::Kind::Memory;
    operand.number = *displacement;
    return operand;
}

// ---- linkage tables

// [endbr] [mov $n,%r11d] [bnd] jmp *slot. Position-independent 32-bit code has the address of the offsets in %ebx.
std::optional<uint64_t> find_slot(const Code &code, size_t at, bool wide, uint64_t offsets) {
    constexpr std::string_view kEndbr64 = "\xf3\x0f\x1e\xfa", kEndbr32 = "\xf3\x0f\x1e\xfb", kMoveR11 = "\x41\xbb";
    if (code.has(at, kEndbr64) || code.has(at, kEndbr32)) at += kEndbr64.size();
    if (wide && code.has(at, kMoveR11)) at += kMoveR11.size() + 4;
    if (code.has(at, "\xf2")) ++at;
    if (at > code.size || code.size - at < 6 || code.bytes[at] != 0xff) return std::nullopt;
    const uint32_t displacement = code.word(at + 2);
    if (code.bytes[at + 1] == 0x25)
        return wide ? code.address + at + 6 + static_cast<uint64_t>(static_cast<int32_t>(displacement)) : displacement;
    if (!wide && code.bytes[at + 1] == 0xa3) return static_cast<uint32_t>(offsets + displacement);
    return std::nullopt;
}

std::optional<uint64_t> slot_64(const Code &code, size_t at, uint64_t offsets) {
    return find_slot(code, at, true, offsets);
}

std::optional<uint64_t> slot_32(const Code &code, size_t at, uint64_t offsets) {
    return find_slot(code, at, false, offsets);
}

constexpr LinkageTable kTables[] = {
    {EM_X86_64, R_X86_64_IRELATIVE, 8, slot_64},
    {EM_386, R_386_IRELATIVE, 8, slot_32},
};

constexpr uint64_t bits(std::initializer_list<int> numbers) {
    uint64_t set = 0;
    for (int number : numbers)
        set |= uint64_t{1} << number;
    return set;
}

}  // namespace

const Arch kX86_64 = {
    .name = "x86_64",
    .elf_machine = EM_X86_64,
    .config_symbol = "CONFIG_X86_64",
    .source_name = "x86",
    .debian_name = "amd64",
    .saved_registers = 17,  // the general ones and the return address, which is the program counter
    .call_bytes = 5,
    // rdi, rsi, rdx, rcx, r8, r9; then above the return address.
    .arguments = {.registers = {5, 4, 1, 2, 8, 9},
                  .count = 6,
                  .stack_pointer = 7,
                  .stack_offset = 8,
                  .large_by_reference = false,
                  .stack_ends_registers = false,
                  .pairs_begin_even = false},
    // rax, rdx
    .result = {.first = 0, .second = 1, .address_is_argument = true, .address_is_returned = true},
    .preserved = bits({3, 6, 12, 13, 14, 15}),  // rbx, rbp, r12 to r15
    .leaf_entry = bits({5, 4, 1, 2, 8, 9}),
    .leaf_return = bits({0, 1}),
    .leaf_program = 0xffff,
    // fs_base
    .thread_local_storage = {.pointer = 58,
                             .blocks_below = true,
                             .header = 0,
                             .vector = 8,
                             .module_relocation = R_X86_64_DTPMOD64,
                             .offset_relocation = R_X86_64_TPOFF64},
    .parse_operand = parse_operand,
    .tables = kTables,
    .syscalls = {.tables = true, .entry_prefixes = {"__ia32_", "__x64_"}},
    // Not "pc": its interrupt links cost the ACPI interpreter a quarter of a second for every device.
    .guest = {.program = "qemu-system-x86_64",
              .machine = "q35",
              .console = "ttyS0",
              .debian_package = "qemu-system-x86",
              .fedora_package = "qemu-system-x86"},
};

}  // namespace tapir::arch
