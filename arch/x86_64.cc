// SPDX-License-Identifier: GPL-2.0-or-later
// x86-64: System V ABI, AMD64 supplement. The linkage tables of its 32-bit programs are here, too.
#include <elf.h>

#include <algorithm>

#include "arch/arch.h"
#include "arch/operand_text.h"

namespace tapir::arch {

namespace {

// ---- operands of marks, in AT&T's syntax

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

// The thread pointer.
constexpr Register kFsBase = {"fs", 58, 8};

std::optional<Register> find_register(std::string_view name) {
    for (const Register &reg : kRegisters)
        if (name == reg.name) return reg;
    return std::nullopt;
}

// "%fs:", or Intel's "fs:". The other segments begin at 0.
bool take_segment(std::string_view &text, std::string_view percent, Operand &operand) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos || !text.starts_with(percent)) return false;
    const std::string_view name = text.substr(percent.size(), colon - percent.size());
    if (name == kFsBase.name) operand.segment = kFsBase;
    if (!operand.segment && name != "ds" && name != "ss" && name != "es" && name != "cs") return false;
    text = trimmed(text.substr(colon + 1));
    return true;
}

// Registers of an address all have 64 bits, or all 32.
bool take_address_register(const Register &reg, std::optional<Register> &place, bool &some, Operand &operand) {
    if (place || (reg.bytes != 8 && reg.bytes != 4) || (some && operand.narrow != (reg.bytes == 4))) return false;
    operand.narrow = reg.bytes == 4;
    some = true;
    place = reg;
    return true;
}

bool is_scale(int64_t number) {
    return number == 1 || number == 2 || number == 4 || number == 8;
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
    bool some = false;
    for (size_t i = 0; i < 2 && i < count; ++i) {
        if (parts[i].empty()) continue;
        if (i == 1 && (parts[i] == "%riz" || parts[i] == "%eiz")) continue;  // how no index is written
        const auto reg = parts[i].starts_with('%') ? find_register(parts[i].substr(1)) : std::nullopt;
        if (!reg || !take_address_register(*reg, i == 0 ? operand.base : operand.index, some, operand)) return false;
    }
    if (count == 3) {
        const auto scale = Expression(parts[2]).read();
        if (!scale || !scale->symbol.empty()) return false;
        operand.scale = operand.index ? scale->number : 1;
    }
    return is_scale(operand.scale) && (some || count > 1);
}

bool add(std::string_view text, Operand &operand) {
    const auto sum = Expression(text, "@").read();
    if (!sum || (!sum->symbol.empty() && !operand.symbol.empty())) return false;
    operand.number += sum->number;
    if (!sum->symbol.empty()) operand.symbol = sum->symbol;
    return true;
}

// "symbol@GOTPCREL" is a word of the linker's that has the symbol's address; others with "@" mean nothing here.
bool resolve_modifier(Operand &operand) {
    const size_t at = operand.symbol.find('@');
    if (at == std::string_view::npos) return true;
    const std::string_view modifier = operand.symbol.substr(at + 1);
    operand.symbol = operand.symbol.substr(0, at);
    if (modifier == "PLT") return true;
    operand.kind = Operand::Kind::Address;
    return modifier.starts_with("GOTPCREL") && operand.number == 0;
}

// Finds the part behind the displacement of "-8(%rbp)", "8+4(%rax,%rcx,4)", "symbol(%rip)"; npos without one.
size_t find_address(std::string_view text) {
    const size_t open = text.rfind('(');
    if (open == std::string_view::npos || !text.ends_with(')')) return std::string_view::npos;
    const std::string_view inside = trimmed(text.substr(open + 1));
    return inside.starts_with('%') || inside.starts_with(',') ? open : std::string_view::npos;
}

std::optional<Operand> parse_memory(std::string_view text) {
    Operand operand;
    operand.kind = Operand::Kind::Memory;
    take_segment(text, "%", operand);
    const size_t open = find_address(text);
    const std::string_view before = trimmed(text.substr(0, open));
    if (!before.empty() && !add(before, operand)) return std::nullopt;
    if (open == std::string_view::npos) {
        // A lone number is not an address of memory.
        if (operand.symbol.empty() && !operand.segment) operand.kind = Operand::Kind::Number;
    } else {
        const std::string_view inside = trimmed(text.substr(open + 1, text.size() - open - 2));
        const bool relative = inside == "%rip" || inside == "%eip";
        if (relative ? operand.symbol.empty() : !parse_address(inside, operand)) return std::nullopt;
    }
    return resolve_modifier(operand) && !(before.empty() && open == std::string_view::npos) ? std::optional(operand)
                                                                                            : std::nullopt;
}

// ---- the same in Intel's syntax: "DWORD PTR [rbp-4]", "symbol[rip+8]", "fs:[0]", "eax", "OFFSET FLAT:symbol"

// One summand between the brackets.
bool add_intel(std::string_view text, bool negative, bool &some, Operand &operand) {
    const size_t star = text.find('*');
    const std::string_view first = trimmed(text.substr(0, star)),
                           second = star == std::string_view::npos ? "" : trimmed(text.substr(star + 1));
    const auto reg = find_register(first), other = find_register(second);
    if (first == "rip" || first == "eip") return !negative && second.empty();
    if (!reg && !other) {
        if (!negative) return add(text, operand);
        const auto number = Expression(text).read();
        if (number && number->symbol.empty()) operand.number -= number->number;
        return number && number->symbol.empty();
    }
    if (negative || (reg && other)) return false;
    if (second.empty()) {
        const bool taken = operand.base.has_value();
        return take_address_register(*reg, taken ? operand.index : operand.base, some, operand);
    }
    const auto scale = Expression(reg ? second : first).read();
    if (!scale || !scale->symbol.empty() || !is_scale(scale->number)) return false;
    operand.scale = scale->number;
    return take_address_register(reg ? *reg : *other, operand.index, some, operand);
}

bool parse_intel_address(std::string_view text, Operand &operand) {
    bool some = false;
    for (size_t at = 0; at < text.size();) {
        const bool negative = text[at] == '-';
        if (negative || text[at] == '+') ++at;
        const size_t end = std::min(text.find_first_of("+-", at), text.size());
        if (!add_intel(trimmed(text.substr(at, end - at)), negative, some, operand)) return false;
        at = end;
    }
    return true;
}

std::optional<Operand> parse_intel(std::string_view text) {
    Operand operand;
    constexpr std::string_view kPointer = "PTR ", kOffset = "OFFSET ", kFlat = "FLAT:";
    if (const auto reg = find_register(text)) {
        operand.kind = Operand::Kind::Register;
        operand.base = reg;
        return operand;
    }
    if (text.starts_with(kOffset)) {
        text.remove_prefix(kOffset.size());
        if (text.starts_with(kFlat)) text.remove_prefix(kFlat.size());
        return add(text, operand) ? std::optional(operand) : std::nullopt;
    }
    if (const size_t at = text.find(kPointer); at != std::string_view::npos) text.remove_prefix(at + kPointer.size());
    operand.kind = Operand::Kind::Memory;
    take_segment(text, "", operand);
    const size_t open = text.find('[');
    if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
    const std::string_view before = trimmed(text.substr(0, open));
    if (!before.empty() && !add(before, operand)) return std::nullopt;
    return parse_intel_address(text.substr(open + 1, text.size() - open - 2), operand) && resolve_modifier(operand)
               ? std::optional(operand)
               : std::nullopt;
}

// "$5", "%rdi", "-4(%rbp)", "8(%rax,%rcx,4)", "symbol+8(%rip)", "%fs:40"
std::optional<Operand> parse_operand(std::string_view text) {
    Operand operand;
    if (text.starts_with('$')) return add(text.substr(1), operand) ? std::optional(operand) : std::nullopt;
    if (text.starts_with('%') && text.find(':') == std::string_view::npos) {
        operand.kind = Operand::Kind::Register;
        operand.base = find_register(text.substr(1));
        return operand.base ? std::optional(operand) : std::nullopt;
    }
    if (auto intel = parse_intel(text)) return intel;
    return parse_memory(text);
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
    {EM_X86_64, R_X86_64_RELATIVE, R_X86_64_IRELATIVE, 8, slot_64},
    {EM_386, R_386_RELATIVE, R_386_IRELATIVE, 8, slot_32},
};

// ---- calls

constexpr uint64_t kWord = 8;

// The class of a word that two values overlap in: section 3.2.3, "Classification". Up is the rest of a vector.
enum class Class : uint8_t { None, Integer, Vector, Up, Extended, Memory };

Class merged(Class a, Class b) {
    if (a == b || b == Class::None) return a;
    if (a == Class::None) return b;
    if (a == Class::Memory || b == Class::Memory) return Class::Memory;
    if (a == Class::Integer || b == Class::Integer) return Class::Integer;
    if (a == Class::Extended || b == Class::Extended) return Class::Memory;
    return Class::Vector;
}

Class class_of(const Scalar &scalar, bool first_word) {
    switch (scalar.kind) {
        case Scalar::Kind::Integer:
            return Class::Integer;
        case Scalar::Kind::Float:
            return Class::Vector;
        case Scalar::Kind::Extended:
            return Class::Extended;
        case Scalar::Kind::Vector:
            break;
    }
    return first_word ? Class::Vector : Class::Up;
}

Parts in_words(const std::array<Class, 2> &words, uint64_t size) {
    Parts parts;
    for (size_t i = 0; i * kWord < size; ++i) {
        const auto bytes = static_cast<uint8_t>(std::min(kWord, size - i * kWord));
        const Class before = i > 0 ? words[i - 1] : Class::None;
        const bool rest = words[i] == Class::Extended && i > 0;
        if (words[i] == Class::Memory || (rest && before != Class::Extended)) return {.in_memory = true};
        if (rest || (words[i] == Class::Up && before == Class::Vector))
            parts.list[parts.count - 1].bytes += bytes;
        else
            parts.list[parts.count++] = {words[i] == Class::None       ? Hold::Nothing
                                         : words[i] == Class::Integer  ? Hold::Integer
                                         : words[i] == Class::Extended ? Hold::Extended
                                                                       : Hold::Vector,
                                         bytes};
    }
    return parts;
}

Parts parts_of(std::span<const Scalar> scalars, uint64_t size, bool misplaced) {
    if (misplaced) return {.in_memory = true};
    if (size > 2 * kWord) {
        const bool vector = scalars.size() == 1 && scalars[0].kind == Scalar::Kind::Vector && scalars[0].size == size;
        if (!vector) return {.in_memory = true};
        return {.list = {Part{Hold::Vector, static_cast<uint8_t>(size)}}, .count = 1};
    }
    std::array<Class, 2> words = {};
    for (const Scalar &scalar : scalars) {
        const uint64_t first = scalar.offset / kWord, last = (scalar.offset + scalar.size - 1) / kWord;
        for (uint64_t word = first; word <= last && word < words.size(); ++word)
            words[word] = merged(words[word], class_of(scalar, word == first));
    }
    return in_words(words, size);
}

// call rel32, jmp rel32; jmp rel8
size_t call_length(std::span<const unsigned char, kLongestCall> before) {
    if (before[0] == 0xe8 || before[0] == 0xe9) return 5;
    return before[3] == 0xeb ? 2 : 0;
}

// endbr64; nop with any prefixes that make it longer; nop r/m
size_t idle_length(std::span<const unsigned char> code) {
    constexpr unsigned char kEndBranch[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (code.size() >= sizeof kEndBranch && std::equal(std::begin(kEndBranch), std::end(kEndBranch), code.begin()))
        return sizeof kEndBranch;
    size_t at = 0;
    while (at < code.size() && (code[at] == 0x66 || code[at] == 0x2e))
        ++at;
    if (at < code.size() && code[at] == 0x90) return at + 1;
    if (code.size() - at < 3 || code[at] != 0x0f || code[at + 1] != 0x1f) return 0;
    const unsigned mode = code[at + 2] >> 6, operand = code[at + 2] & 7;
    if (mode == 3 || (mode == 0 && operand >= 4)) return 0;
    const size_t displacement = mode == 2 ? 4 : mode, length = at + 3 + (operand == 4 ? 1 : 0) + displacement;
    return length <= code.size() ? length : 0;
}

// ---- Go: cmd/internal/obj/x86/obj6.go, stacksplit()

// A code sequence, byte by byte; `any` bytes may have any value, and may be an operand.
struct Sequence {
    std::array<unsigned char, 9> bytes;
    size_t count, any;
};

// Instructions before the comparison of the stack pointer, or of the future end of the frame, with the goroutine's
// limit.
constexpr Sequence kLimits[] = {
    {{0x64, 0x48, 0x8b, 0x0c, 0x25, 0xf8, 0xff, 0xff, 0xff}, 9, 0},  // mov %fs:-8,%rcx
    {{0x64, 0x4c, 0x8b, 0x34, 0x25, 0xf8, 0xff, 0xff, 0xff}, 9, 0},  // mov %fs:-8,%r14
    {{0x48, 0xc7, 0xc1, 0xf8, 0xff, 0xff, 0xff}, 7, 0},              // mov $-8,%rcx
    {{0x48, 0x8b, 0x0d}, 3, 4},                                      // mov N(%rip),%rcx
    {{0x64, 0x48, 0x8b, 0x09}, 4, 0},                                // mov %fs:(%rcx),%rcx
    {{0x49, 0xc7, 0xc6, 0xf8, 0xff, 0xff, 0xff}, 7, 0},              // mov $-8,%r14
    {{0x4c, 0x8b, 0x35}, 3, 4},                                      // mov N(%rip),%r14
    {{0x64, 0x4d, 0x8b, 0x36}, 4, 0},                                // mov %fs:(%r14),%r14
    {{0x4c, 0x8d, 0x64, 0x24}, 4, 1},                                // lea N(%rsp),%r12
    {{0x4c, 0x8d, 0xa4, 0x24}, 4, 4},
    {{0x48, 0x8d, 0x44, 0x24}, 4, 1},  // lea N(%rsp),%rax
    {{0x48, 0x8d, 0x84, 0x24}, 4, 4},
    {{0x49, 0x89, 0xe4}, 3, 0},  // mov %rsp,%r12
    {{0x49, 0x81, 0xec}, 3, 4},  // sub $N,%r12
    {{0x49, 0x3b, 0x66}, 3, 1},  // cmp N(%r14),%rsp
    {{0x4d, 0x3b, 0x66}, 3, 1},  // cmp N(%r14),%r12
    {{0x48, 0x3b, 0x61}, 3, 1},  // cmp N(%rcx),%rsp
    {{0x48, 0x3b, 0x41}, 3, 1},  // cmp N(%rcx),%rax
};

size_t length_of_limit(std::span<const unsigned char> code) {
    for (const Sequence &sequence : kLimits)
        if (code.size() >= sequence.count + sequence.any &&
            std::equal(sequence.bytes.begin(), sequence.bytes.begin() + static_cast<ptrdiff_t>(sequence.count),
                       code.begin()))
            return sequence.count + sequence.any;
    return 0;
}

// jb and jbe, forward.
size_t length_of_jump(std::span<const unsigned char> code, int64_t &jumps_by) {
    const auto is_below = [](unsigned char condition) { return condition == 2 || condition == 6; };
    if (code.size() >= 2 && (code[0] & 0xf0) == 0x70 && is_below(code[0] & 15)) {
        jumps_by = static_cast<signed char>(code[1]);
        return 2;
    }
    if (code.size() < 6 || code[0] != 0x0f || (code[1] & 0xf0) != 0x80 || !is_below(code[1] & 15)) return 0;
    int32_t by;
    std::memcpy(&by, &code[2], sizeof by);
    jumps_by = by;
    return 6;
}

size_t stack_check(std::span<const unsigned char> code, int64_t &jumps_to) {
    size_t behind = 0;
    for (size_t at = 0; at < code.size();) {
        int64_t by = 0;
        const size_t limit = length_of_limit(code.subspan(at));
        const size_t jump = limit || at == 0 ? 0 : length_of_jump(code.subspan(at), by);
        if (limit + jump == 0) break;
        at += limit + jump;
        if (!jump) continue;
        jumps_to = static_cast<int64_t>(at) + by;
        behind = at;
    }
    return behind;
}

// A store to an offset from rsp, of a general register (88, 89) or of xmm (f2, f3 0f 11): its length, 0 for others.
size_t length_of_store(std::span<const unsigned char> code, bool &is_vector, unsigned &number) {
    size_t at = 0;
    while (at < code.size() && (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0xf3))
        ++at;
    is_vector = at > 0 && code[at - 1] != 0x66;
    unsigned char rex = 0;
    if (at < code.size() && (code[at] & 0xf0) == 0x40) rex = code[at++];
    if (is_vector && !(at < code.size() && code[at++] == 0x0f)) return 0;
    if (at + 3 > code.size() || (rex & 3)) return 0;
    if (is_vector ? code[at] != 0x11 : (code[at] & 0xfe) != 0x88) return 0;
    const unsigned char mode = code[at + 1] >> 6, base = code[at + 1] & 7;
    if (mode == 3 || base != 4 || code[at + 2] != 0x24) return 0;
    number = (code[at + 1] >> 3 & 7) | (rex & 4) << 1;
    return at + 3 + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

// Go: cmd/internal/obj/x86/obj6.go, stacksplit(), and its callees.
std::bitset<128> stored(std::span<const unsigned char> code) {
    constexpr unsigned char kDwarf[] = {0, 2, 1, 3, 7, 6, 4, 5};
    constexpr unsigned kVectors = 17;
    std::bitset<128> found;
    for (size_t at = 0; at < code.size();) {
        bool is_vector = false;
        unsigned number = 0;
        const size_t length = length_of_store(code.subspan(at), is_vector, number);
        if (length)
            found.set(is_vector ? kVectors + number : number < 8 ? kDwarf[number] : number);
        else if (code[at] == 0xe8)
            break;
        at += std::max<size_t>(length, 1);  // what is between them only fills up
    }
    return found;
}

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
    .vector_registers = 16,
    .call_length = call_length,
    .idle_length = idle_length,
    .watches_after_access = true,
    // rdi, rsi, rdx, rcx, r8, r9; then above the return address.
    .arguments = {.registers = {5, 4, 1, 2, 8, 9},
                  .count = 6,
                  .vector_count = 8,
                  .first_vector = 17,  // xmm0
                  .parts = parts_of,
                  .stack_pointer = 7,
                  .frame_pointer = 6,
                  .stack_offset = 8,
                  .large_by_reference = false,
                  .stack_ends_registers = false,
                  .pairs_begin_even = false},
    // RAX, RBX, RCX, RDI, RSI, R8 to R11; X0 to X14
    .go = {.registers = {0, 3, 2, 5, 4, 8, 9, 10, 11},
           .count = 9,
           .first_vector = 17,
           .vector_count = 15,
           .stack_offset = 8,
           .stack_check = stack_check,
           .stored = stored},
    // rax, rdx
    .result = {.first = 0, .second = 1, .address_is_argument = true, .address_is_returned = true},
    .preserved = bits({3, 6, 12, 13, 14, 15}),  // rbx, rbp, r12 to r15
    .leaf_entry = bits({5, 4, 1, 2, 8, 9}),
    .leaf_return = bits({0, 1}),
    .leaf_program = 0xffff,
    .thread_local_storage = {.pointer = kFsBase.number,
                             .blocks_below = true,
                             .header = 0,
                             .vector = 8,
                             .module_relocation = R_X86_64_DTPMOD64,
                             .offset_relocation = R_X86_64_TPOFF64,
                             .linker = "ld-linux-x86-64.so.2"},
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
