// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/debug_information.h"

#include <dwarf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "common/hash.h"

namespace tapir::report {

namespace {

template <typename Range>
void sort_ranges(std::vector<Range> &ranges) {
    std::stable_sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) { return a.start < b.start; });
}

// The last of the sorted ranges that begins at the address or before it, if it has the address.
template <typename Range>
const Range *range_at(const std::vector<Range> &ranges, uint64_t address) {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                        [](uint64_t at, const Range &range) { return at < range.start; });
    return after != ranges.begin() && address < (after - 1)->end ? &*(after - 1) : nullptr;
}

}  // namespace

DebugInformation::~DebugInformation() {
    if (dwarf_) dwarf_end(dwarf_);
    if (elf_) elf_end(elf_);
    if (mapped_) munmap(mapped_, mapped_bytes_);
}

bool DebugInformation::take(Elf *elf) {
    elf_ = elf;
    if (!elf_) return false;
    const void *id = nullptr;
    const ssize_t bytes = dwelf_elf_gnu_build_id(elf_, &id);
    if (bytes > 0) build_id_ = to_hex(static_cast<const unsigned char *>(id), static_cast<size_t>(bytes));
    return bytes > 0;
}

bool DebugInformation::open(const std::string &path, const std::string &build_id) {
    elf_version(EV_CURRENT);
    // Not a pipe or a device, which opening could wait for.
    file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file_.get() < 0 || !take(elf_begin(file_.get(), ELF_C_READ, nullptr)) || build_id_ != build_id) return false;
    dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    return true;
}

bool DebugInformation::open(const Descriptor &file) {
    elf_version(EV_CURRENT);
    struct stat about = {};
    if (fstat(file.get(), &about) != 0 || about.st_size <= 0) return false;
    mapped_bytes_ = static_cast<size_t>(about.st_size);
    // libelf converts in place where it has to.
    void *const memory = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE, file.get(), 0);
    if (memory == MAP_FAILED) return false;
    mapped_ = memory;
    if (!take(elf_memory(static_cast<char *>(mapped_), mapped_bytes_))) return false;
    dwarf_ = dwarf_begin_elf(elf_, DWARF_C_READ, nullptr);
    return true;
}

// Functions with a size, of .symtab and .dynsym.
void DebugInformation::read_symbols() {
    for (Elf_Scn *section = elf_nextscn(elf_, nullptr); section; section = elf_nextscn(elf_, section)) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM)) continue;
        Elf_Data *data = elf_getdata(section, nullptr);
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || !symbol.st_size || symbol.st_shndx == SHN_UNDEF) continue;
            const char *name = elf_strptr(elf_, header.sh_link, symbol.st_name);
            if (name && *name) symbols_.push_back({symbol.st_value, symbol.st_value + symbol.st_size, name});
        }
    }
    sort_ranges(symbols_);
}

std::string DebugInformation::symbol(uint64_t address) {
    if (!symbols_read_) read_symbols();
    symbols_read_ = true;
    const Symbol *found = range_at(symbols_, address);
    return found ? found->name : "";
}

namespace {

std::string text_of(const char *text) {
    return text ? text : "";
}

// As the object's symbols have it, where it is known.
std::string linkage_name(Dwarf_Die &die) {
    for (const unsigned name : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
        Dwarf_Attribute attribute;
        const char *text = dwarf_formstring(dwarf_attr_integrate(&die, name, &attribute));
        if (text) return text;
    }
    return text_of(dwarf_diename(&die));
}

}  // namespace

void DebugInformation::read_units() {
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        Dwarf_Addr base = 0, start = 0, end = 0;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &start, &end)) > 0;)
            units_.push_back({start, end, dwarf_dieoffset(&die)});
    }
    sort_ranges(units_);
}

// clang writes no .debug_aranges, and libdw looks at nothing else.
bool DebugInformation::find_unit(uint64_t address, Dwarf_Die &unit) {
    if (!dwarf_) return false;
    if (dwarf_addrdie(dwarf_, address, &unit)) return true;
    if (!units_read_) read_units();
    units_read_ = true;
    const Unit *found = range_at(units_, address);
    return found && dwarf_offdie(dwarf_, found->offset, &unit);
}

namespace {

uint32_t number_of(Dwarf_Die &die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_formudata(dwarf_attr(&die, name, &attribute), &value) != 0 || value > UINT32_MAX) return 0;
    return static_cast<uint32_t>(value);
}

// The file with the call that was inlined. DWARF 5 numbers files from 0; before, 0 meant none.
std::string calling_file(Dwarf_Die &unit, Dwarf_Die &inlined) {
    Dwarf_Half version = 0;
    const uint32_t number = number_of(inlined, DW_AT_call_file);
    dwarf_cu_info(unit.cu, &version, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (!dwarf_hasattr(&inlined, DW_AT_call_file) || (!number && version < 5)) return "";
    Dwarf_Files *files = nullptr;
    size_t count = 0;
    if (dwarf_getsrcfiles(&unit, &files, &count) != 0 || number >= count) return "";
    return text_of(dwarf_filesrc(files, number, nullptr, nullptr));
}

}  // namespace

std::vector<capture::Function> DebugInformation::functions(uint64_t address) {
    std::vector<capture::Function> out;
    Dwarf_Die unit_memory, unit;
    if (!find_unit(address, unit_memory)) return out;
    unit = unit_memory;
    // The unit that has the code, where the debug information is split.
    Dwarf_Die skeleton, split;
    uint8_t type = 0;
    if (dwarf_cu_info(unit.cu, nullptr, &type, &skeleton, &split, nullptr, nullptr, nullptr) == 0 &&
        type == DW_UT_skeleton && split.addr)
        unit = split;
    // The first are the scopes of the code as it was written; those that it was inlined into are around the innermost.
    Dwarf_Die *written = nullptr, *scopes = nullptr;
    if (dwarf_getscopes(&unit, address, &written) <= 0) return out;
    const std::unique_ptr<Dwarf_Die, decltype(&free)> written_owner(written, free);
    const int count = dwarf_getscopes_die(written, &scopes);
    const std::unique_ptr<Dwarf_Die, decltype(&free)> owner(scopes, free);
    // The line of the innermost; of each other one, where it calls the one before it.
    std::string file;
    uint32_t line = 0;
    if (Dwarf_Line *row = dwarf_getsrc_die(&unit_memory, address)) {
        int number = 0;
        if (dwarf_lineno(row, &number) == 0 && number > 0) line = static_cast<uint32_t>(number);
        file = text_of(dwarf_linesrc(row, nullptr, nullptr));
    }
    for (int i = 0; i < count; i++) {
        const int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        capture::Function function;
        function.name = linkage_name(scopes[i]);
        function.file = file;
        function.line = line;
        if (function.name.empty()) return {};
        out.push_back(std::move(function));
        if (tag == DW_TAG_subprogram) return out;
        file = calling_file(unit, scopes[i]);
        line = number_of(scopes[i], DW_AT_call_line);
    }
    // The scopes do not name the outermost function.
    return {};
}

}  // namespace tapir::report
