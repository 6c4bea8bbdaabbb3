// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/go_functions.h"

#include <elf.h>
#include <tapir/unwind.h>

#include <algorithm>
#include <limits>

#include "arch/arch.h"

namespace tapir::unwind {

namespace {

constexpr uint32_t kGo118 = 0xfffffff0, kGo120 = 0xfffffff1;
constexpr uint8_t kAssembly = 4;  // funcFlag_ASM
constexpr size_t kHeader = 72, kAlignment = 32;
constexpr unsigned kWord = 8;
enum : uint8_t { kAdvance = 0x04, kSameRegister = 0x08, kSaved = 0x11, kDefineOffset = 0x13 };  // DW_CFA_*, signed

void put_uleb(std::string &out, uint64_t value) {
    for (; value >= 128; value >>= 7)
        out += static_cast<char>(value | 128);
    out += static_cast<char>(value);
}

void put_sleb(std::string &out, int64_t value) {
    for (;; value >>= 7) {
        const bool last = value >= -64 && value < 64;
        out += static_cast<char>((value & 127) | (last ? 0 : 128));
        if (last) return;
    }
}

void put_advance(std::string &out, uint32_t by) {
    out += static_cast<char>(kAdvance);
    out.append(reinterpret_cast<const char *>(&by), sizeof by);
}

// Returns a word of data in memory: the address of this file that the dynamic linker puts there, or the file's content.
uint64_t word_at(const ElfFile &file, uint64_t address) {
    const arch::LinkageTable *kind = arch::linkage_table(file.machine());
    for (const Section &section : file.sections()) {
        if (!kind || section.type != SHT_RELA || !(section.flags & SHF_ALLOC)) continue;
        Bytes in(file.content(section));
        while (in.size() - in.at() >= sizeof(Elf64_Rela)) {
            const auto one = in.fixed<Elf64_Rela>();
            if (one.r_offset == address && ELF64_R_TYPE(one.r_info) == kind->relative_relocation)
                return static_cast<uint64_t>(one.r_addend);
        }
    }
    return Bytes(file.content_at(address)).u64();
}

// Since Go 1.26 only "moduledata" has the address of the first code. It consists of the address of the table, six
// slices and a pointer, then the ends of the functions and of the code. `first` is the first function's offset in the
// code. Returns 0 without such a section, or if its layout differs.
uint64_t start_of_code(const ElfFile &file, uint64_t table, uint32_t first) {
    constexpr uint64_t kFirstFunction = 160, kCode = 176;
    const Section *module = file.section(".go.module");
    if (!module || word_at(file, module->address) != table) return 0;
    const uint64_t code = word_at(file, module->address + kCode);
    return word_at(file, module->address + kFirstFunction) == code + first ? code : 0;
}

// Data that looks as if the table began there: its version, two zeros, how long instructions and words are, and offsets
// of its parts that are in their order.
bool is_header(std::string_view data) {
    Bytes in(data);
    const uint32_t magic = in.u32();
    if (magic != kGo118 && magic != kGo120) return false;
    const bool zeros = in.u8() == 0 && in.u8() == 0;
    const unsigned quantum = in.u8(), word = in.u8();
    in.skip(24);  // how many functions and files, and where the code is
    uint64_t before = 0;
    bool ascending = true;
    for (int part = 0; part < 5; part++) {
        const uint64_t at = in.u64();
        ascending &= at > before && at < data.size();
        before = at;
    }
    return !in.failed() && zeros && (quantum == 1 || quantum == 4) && word == kWord && ascending;
}

}  // namespace

std::optional<Section> go_function_table(const ElfFile &file) {
    for (const char *name : {".gopclntab", ".data.rel.ro.gopclntab"})
        if (const Section *section = file.section(name)) return *section;
    const Section *data = file.section(".data.rel.ro");
    if (!data || !file.section(".note.go.buildid")) return std::nullopt;
    const std::string_view content = file.content(*data);
    for (size_t at = 0; at + kHeader <= content.size(); at += kAlignment) {
        if (!is_header(content.substr(at))) continue;
        Section part = *data;
        part.address += at;
        part.place += at;
        part.bytes -= at;
        part.memory_bytes -= at;
        return part;
    }
    return std::nullopt;
}

struct GoFunctions::Table {
    uint32_t magic = 0, quantum = 0;
    uint64_t count = 0, text = 0;
    std::string_view names, depths, functions;
};

GoFunctions::GoFunctions(const ElfFile &file) : file_(file) {
    const std::optional<Section> section = go_function_table(file);
    if (!section || !tapir_unwind_is_machine(file.machine())) return;
    const std::string_view content = file.content(*section);
    Bytes in(content);
    Table table;
    table.magic = in.u32();
    in.skip(2);
    table.quantum = in.u8();
    const unsigned word = in.u8();
    table.count = in.u64();
    in.skip(8);  // how many files
    table.text = word_at(file, section->address + in.at());
    in.skip(8);
    const auto part = [&content](uint64_t at) { return at < content.size() ? content.substr(at) : std::string_view(); };
    table.names = part(in.u64());
    in.skip(16);  // units and files
    table.depths = part(in.u64());
    table.functions = part(in.u64());
    if (in.failed() || (table.magic != kGo118 && table.magic != kGo120) || word != kWord || !table.quantum) return;
    if (!table.text) table.text = start_of_code(file, section->address, Bytes(table.functions).u32());
    if (!table.text) return;
    cie_.return_register = tapir_unwind_return_register(file.machine());
    cie_.usable = true;
    const bool pushes = tapir_unwind_call_pushes(file.machine());
    cie_.initial.cfa = {TAPIR_CFA_REGISTER, static_cast<uint8_t>(tapir_unwind_stack_register(file.machine())),
                        pushes ? 8 : 0, 0};
    if (pushes) cie_.initial.assign(cie_.return_register, {RegisterRule::kCfa, 0, -8});
    read(table);
}

// Reads pairs of offsets: of a function's code from the first code on, and of its record. After them comes the end of
// all code.
void GoFunctions::read(const Table &table) {
    Bytes in(table.functions);
    if (table.count >= table.functions.size() / 8) return;
    uint64_t start = table.text + in.u32();
    for (uint64_t i = 0; i < table.count; i++) {
        const uint32_t at = in.u32();
        const uint64_t next = table.text + in.u32();
        if (in.failed() || next <= start) return;
        add(table, start, next, at);
        start = next;
    }
}

void GoFunctions::add(const Table &table, uint64_t start, uint64_t next, uint32_t at) {
    Bytes in(table.functions);
    in.seek(at);
    in.skip(4);
    const uint32_t name_at = in.u32();
    in.skip(8);
    const uint32_t depths_at = in.u32();
    in.skip(16);                            // files, lines, how many tables, the unit
    if (table.magic == kGo120) in.skip(4);  // the first line
    in.skip(1);                             // which of the runtime's own it is
    const bool assembly = in.u8() & kAssembly;
    // C that Go's own linker took in has a name, but no other facts.
    const GoSource source = !depths_at ? GoSource::C : assembly ? GoSource::Assembly : GoSource::Go;
    Bytes names(table.names), depths(table.depths);
    names.seek(name_at);
    const std::string_view name = names.string();
    const auto holds = [&](const Segment &segment) {
        return segment.executable && start >= segment.address && next - segment.address <= segment.bytes;
    };
    if (in.failed() || names.failed() || std::none_of(file_.segments().begin(), file_.segments().end(), holds)) return;
    uint64_t bytes = next - start;
    if (depths_at) {
        depths.seek(depths_at);
        std::string instructions;
        bytes = describe(depths, bytes, table.quantum, instructions);
        if (!bytes) return;
        instructions_.push_back(std::move(instructions));
        Fde fde;
        fde.start = start;
        fde.end = start + bytes;
        fde.cie = &cie_;
        fde.program = instructions_.back();
        frames_.push_back(fde);
    }
    functions_.push_back({start, bytes, name, source});
}

// Reads pairs of numbers: the change of the stack's depth, and the length of code for which it holds. Changes are coded
// as 0, -1, 1, -2 and so on; 0 in place of a change ends it. Returns the bytes of code that they cover, at most `most`;
// 0 if they make no sense.
uint64_t GoFunctions::describe(Bytes depths, uint64_t most, uint32_t quantum, std::string &instructions) const {
    const bool pushes = tapir_unwind_call_pushes(file_.machine());
    int64_t depth = -1;
    uint64_t at = 0, length = 0;
    for (bool first = true; at < most; first = false) {
        const uint64_t change = depths.uleb();
        if (!change && !first) break;
        if (length) put_advance(instructions, static_cast<uint32_t>(length));
        length = depths.uleb();
        if (depths.failed() || change > std::numeric_limits<uint32_t>::max() || !length ||
            length > (most - at) / quantum)
            return 0;
        length *= quantum;
        at += length;
        depth += static_cast<int64_t>(change >> 1) ^ -static_cast<int64_t>(change & 1);
        if (depth != static_cast<int32_t>(depth)) return 0;
        instructions += static_cast<char>(kDefineOffset);
        put_sleb(instructions, depth + (pushes ? 8 : 0));
        if (pushes) continue;
        instructions += static_cast<char>(depth > 0 ? kSaved : kSameRegister);
        put_uleb(instructions, cie_.return_register);
        if (depth > 0) put_sleb(instructions, -depth);
    }
    return at;
}

}  // namespace tapir::unwind
