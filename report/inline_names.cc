// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/inline_names.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "common/descriptor.h"
#include "common/hash.h"
#include "report/profile.h"

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

// One file with debug information.
class DebugInformation {
  public:
    DebugInformation() = default;
    ~DebugInformation() {
        if (dwarf_) dwarf_end(dwarf_);
        if (elf_) elf_end(elf_);
    }
    DebugInformation(const DebugInformation &) = delete;
    DebugInformation &operator=(const DebugInformation &) = delete;

    // False: it is not there, or of another build. Once only.
    bool open(const std::string &path, const std::string &build_id);
    bool has_lines() const { return dwarf_ != nullptr; }
    // The functions at an address of the ELF file, innermost first.
    std::vector<capture::Function> functions(uint64_t address);
    // The function's name in the symbols; "" if there is none.
    std::string symbol(uint64_t address);

  private:
    void read_symbols();
    void read_units();
    bool find_unit(uint64_t address, Dwarf_Die &unit);

    struct Symbol {
        uint64_t start, end;
        const char *name;
    };
    std::vector<Symbol> symbols_;  // ascending
    bool symbols_read_ = false;
    struct Unit {
        uint64_t start, end;
        Dwarf_Off offset;
    };
    std::vector<Unit> units_;  // ascending; a unit for each of its ranges
    bool units_read_ = false;
    Descriptor file_;
    Elf *elf_ = nullptr;
    Dwarf *dwarf_ = nullptr;
};

bool DebugInformation::open(const std::string &path, const std::string &build_id) {
    // Not a pipe or a device, which opening could wait for.
    file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file_.get() < 0) return false;
    elf_ = elf_begin(file_.get(), ELF_C_READ, nullptr);
    if (!elf_) return false;
    const void *id = nullptr;
    const ssize_t bytes = dwelf_elf_gnu_build_id(elf_, &id);
    if (bytes <= 0 || to_hex(static_cast<const unsigned char *>(id), static_cast<size_t>(bytes)) != build_id)
        return false;
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

// The files of an object that are there, those with lines first.
std::vector<std::unique_ptr<DebugInformation>> open_all(const capture::Object &object) {
    std::vector<std::unique_ptr<DebugInformation>> out;
    const std::string &id = object.build_id;
    // Names of files are made of it.
    if (id.size() < 8 || id.find_first_not_of("0123456789abcdef") != std::string::npos) return out;
    for (const std::string &path :
         {"/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug", object.path}) {
        auto file = std::make_unique<DebugInformation>();
        if (file->open(path, id)) out.push_back(std::move(file));
    }
    return out;
}

// Better names for a place than `known`; none if there are none.
std::vector<capture::Function> better_names(const std::vector<std::unique_ptr<DebugInformation>> &files,
                                            uint64_t address, const std::vector<capture::Function> &known) {
    for (const std::unique_ptr<DebugInformation> &file : files) {
        std::vector<capture::Function> functions = file->functions(address);
        if (functions.empty()) continue;
        // The symbols' name of the outermost function stays: pictures without inlined functions have the same one.
        if (!known.empty() && !known.back().name.empty()) functions.back().name = known.back().name;
        return functions;
    }
    if (!known.empty()) return {};
    for (const std::unique_ptr<DebugInformation> &file : files)
        if (std::string name = file->symbol(address); !name.empty()) return {{std::move(name), "", 0, 0}};
    return {};
}

}  // namespace

std::vector<std::string> add_inline_names(capture::Capture &capture) {
    elf_version(EV_CURRENT);
    // Nothing is fetched from a network.
    unsetenv("DEBUGINFOD_URLS");
    std::map<uint32_t, std::vector<capture::FrameKey>> places;
    for (const capture::Stack &stack : capture.stacks)
        for (const capture::Frame &frame : stack.frames)
            if (frame.kind == capture::FrameKind::File) places[frame.object].push_back(capture::key_of(frame));
    std::vector<std::string> missing;
    for (auto &[id, keys] : places) {
        const auto object = capture.objects.find(id);
        if (object == capture.objects.end()) continue;
        const std::vector<std::unique_ptr<DebugInformation>> files = open_all(object->second);
        if (std::none_of(files.begin(), files.end(), [](const auto &file) { return file->has_lines(); }))
            missing.push_back("no debug information of this build of " + clean(object->second.path));
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        for (const capture::FrameKey &key : keys) {
            const uint64_t address = key.place + object->second.bias - (key.called ? 1 : 0);
            const auto known = capture.names.find(key);
            std::vector<capture::Function> better = better_names(
                files, address, known == capture.names.end() ? std::vector<capture::Function>() : known->second);
            if (!better.empty()) capture.names.insert_or_assign(key, std::move(better));
        }
    }
    return missing;
}

}  // namespace tapir::report
