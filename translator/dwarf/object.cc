// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/object.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "arch/arch.h"
#include "common/files.h"
#include "common/hash.h"
#include "common/program_start.h"
#include "common/regular_file.h"
#include "dwarf/expanded.h"

namespace tapir::dwarf {

std::optional<uint64_t> entry_pc(Dwarf_Die *die) {
    Dwarf_Addr pc = 0, base = 0, end = 0;
    if (dwarf_entrypc(die, &pc) != 0 && dwarf_ranges(die, 0, &base, &pc, &end) <= 0) return std::nullopt;
    return pc ? std::optional<uint64_t>(pc) : std::nullopt;
}

bool imported_unit(Dwarf_Die *die, Dwarf_Die &unit) {
    Dwarf_Attribute attribute;
    return dwarf_tag(die) == DW_TAG_imported_unit && dwarf_attr(die, DW_AT_import, &attribute) &&
           dwarf_formref_die(&attribute, &unit);
}

namespace {

constexpr int kMostSplits = 1 << 23;
constexpr int kSplitShift = 32;

// How many sections with content have this name.
size_t count_sections(Elf *elf, std::string_view wanted) {
    size_t names = 0, count = 0;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0) return 0;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : nullptr;
        count += name && header.sh_type != SHT_NOBITS && name == wanted;
    }
    return count;
}

constexpr const char *kTypeSections =
    " has types in sections of their own, of which libdw reads one; compile without -fdebug-types-section";

bool has_several_units(Elf *dwo) {
    return count_sections(dwo, ".debug_info.dwo") > 1 || count_sections(dwo, ".debug_types.dwo") > 1;
}

bool has_dwarf(Elf *elf) {
    return count_sections(elf, ".debug_info") || count_sections(elf, ".zdebug_info");
}

}  // namespace

// Finds a debug file like libdwfl, or returns one that was fetched, or an expanded copy of one if libelf does not know
// its compression.
int Object::find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base, const char *file,
                            const char *link, GElf_Word crc, char **found) {
    auto *const object = static_cast<Object *>(*data);
    if (!object || object->separate_ < 0)
        return dwfl_standard_find_debuginfo(module, data, name, base, file, link, crc, found);
    *found = strdup(object->debug_file_.c_str());
    return std::exchange(object->separate_, -1);
}

// False, and a reason in `error`, when the file is not one that can be read.
bool Object::report(std::string &error) {
    int fd = open_regular(path_.c_str());
    if (fd < 0) {
        error = path_ + ": cannot be opened" + (errno == ENOENT ? "" : ": " + file_error(errno));
        return false;
    }
    if (const int expanded = open_expanded(fd, expansion_problem_); expanded >= 0) {
        ::close(fd);
        fd = expanded;
    }
    // libdwfl would ask these servers by itself.
    hide_variable("DEBUGINFOD_URLS");
    dwfl_ = dwfl_begin(&callbacks_);
    module_ = dwfl_ ? dwfl_report_offline(dwfl_, path_.c_str(), path_.c_str(), fd) : nullptr;
    if (!module_) {
        ::close(fd);
        const char *why = dwfl_errmsg(-1);
        error = path_ + ": not an ELF object that can be read" + (why ? std::string(" (") + why + ")" : "");
        return false;
    }
    dwfl_report_end(dwfl_, nullptr, nullptr);
    void **data = nullptr;
    dwfl_module_info(module_, &data, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    if (data) *data = this;
    return true;
}

std::unique_ptr<Object> Object::open(const std::string &path, std::string &error, const std::string &debug_path,
                                     const FindBuild &elsewhere) {
    std::unique_ptr<Object> object(new Object);
    object->path_ = path;
    object->elsewhere_ = elsewhere;
    object->debug_path_ = debug_path;
    object->debug_path_chars_ = object->debug_path_.data();
    object->callbacks_.find_debuginfo = find_debug_file;
    object->callbacks_.section_address = dwfl_offline_section_address;
    object->callbacks_.debuginfo_path = &object->debug_path_chars_;
    if (!object->report(error)) return nullptr;
    const unsigned char *bits = nullptr;
    GElf_Addr at = 0;
    const int length = dwfl_module_build_id(object->module_, &bits, &at);
    if (length > 0) object->build_id_ = to_hex(bits, static_cast<size_t>(length));
    return object;
}

std::unique_ptr<Object> Object::again() const {
    std::string error;
    return open(path_, error, debug_path_, elsewhere_);
}

Object::~Object() {
    if (dwfl_) dwfl_end(dwfl_);
    if (before_) dwfl_end(before_);
    if (separate_ >= 0) ::close(separate_);
    if (fetched_supplement_) dwarf_end(fetched_supplement_);
    if (supplement_file_ >= 0) ::close(supplement_file_);
}

Dwarf *Object::dwarf() const {
    if (!dwarf_tried_) {
        dwarf_tried_ = true;
        auto *const self = const_cast<Object *>(this);  // only the state of opened files changes
        self->open_dwarf();
    }
    return dwarf_;
}

void Object::open_dwarf() {
    Dwarf_Addr bias = 0;
    dwarf_ = dwfl_module_getdwarf(module_, &bias);
    const char *debug_file = nullptr;
    dwfl_module_info(module_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &debug_file);
    debug_file_ = debug_file ? debug_file : path_;
    if (!dwarf_) open_separate(debug_file);
    if (!dwarf_) {
        if (const std::string error = why_unreadable(debug_file_ != path_); !error.empty())
            debug_problem_ = "the debug information of " + debug_file_ + " cannot be read: " + error;
        debug_file_.clear();
        return;
    }
    if (!find_supplement()) dwarf_ = nullptr;
    if (dwarf_) find_skeletons();
}

// Opens a debug file that libdwfl did not find, or could not read: `debug_file`.
void Object::open_separate(const char *debug_file) {
    GElf_Addr bias = 0;
    std::string found = debug_file ? debug_file : "";
    if (!debug_file && elsewhere_ && !build_id_.empty() && !has_dwarf(dwfl_module_getelf(module_, &bias)))
        found = elsewhere_(build_id_);
    int fd = found.empty() ? -1 : open_regular(found.c_str());
    if (fd < 0) return;
    separate_ = open_expanded(fd, expansion_problem_);
    if (separate_ < 0 && !debug_file) std::swap(separate_, fd);
    if (fd >= 0) ::close(fd);
    if (separate_ < 0) return;
    debug_file_ = found;
    std::string ignored;  // it could be read before
    before_ = dwfl_;
    if (report(ignored)) {
        dwarf_ = dwfl_module_getdwarf(module_, &bias);
        return;
    }
    if (dwfl_ != before_ && dwfl_) dwfl_end(dwfl_);
    dwfl_ = std::exchange(before_, nullptr);
}

// The file stays open: libdw reads parts of it when they are asked for.
Dwarf *Object::fetched_supplement(const std::string &build_id) const {
    const std::string path = elsewhere_ ? elsewhere_(build_id) : "";
    supplement_file_ = path.empty() ? -1 : open_regular(path.c_str());
    if (supplement_file_ >= 0) fetched_supplement_ = dwarf_begin(supplement_file_, DWARF_C_READ);
    if (fetched_supplement_) dwarf_setalt(dwarf_, fetched_supplement_);
    return fetched_supplement_;
}

// False when dwarf_ refers to one that is not there. libdw takes any file of the right name, so whether it is the one
// that is meant is asked here.
bool Object::find_supplement() const {
    const char *name = nullptr;
    const void *wanted = nullptr;
    const ssize_t length = dwelf_dwarf_gnu_debugaltlink(dwarf_, &name, &wanted);
    if (length == 0) return true;
    if (length < 0) {
        debug_problem_ = "the .gnu_debugaltlink section of " + debug_file_ + " is damaged";
        return false;
    }
    const auto size = static_cast<size_t>(length);
    debug_problem_ = "the debug information of " + debug_file_ + " is only complete with the supplement " + name +
                     " (build-id " + to_hex(static_cast<const unsigned char *>(wanted), size) + ")";
    Dwarf *found = dwarf_getalt(dwarf_);
    if (!found) found = fetched_supplement(to_hex(static_cast<const unsigned char *>(wanted), size));
    if (!found) {
        debug_problem_ += ", which is missing";
        return false;
    }
    const void *id = nullptr;
    if (dwelf_elf_gnu_build_id(dwarf_getelf(found), &id) != length || std::memcmp(id, wanted, size) != 0) {
        debug_problem_ += ", and the file of this name is another";
        return false;
    }
    debug_problem_.clear();
    supplement_ = found;
    return true;
}

// Returns why the DWARF cannot be read; "" if the object has no DWARF.
std::string Object::why_unreadable(bool has_file) const {
    const char *why = dwfl_errmsg(-1);
    if (!expansion_problem_.empty()) return expansion_problem_;
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(module_, &bias);
    if (!has_file && !has_dwarf(elf)) return {};
    return why ? why : "it is damaged";
}

void Object::refuse(std::string why) const {
    dwarf_ = supplement_ = nullptr;
    debug_problem_ = std::move(why);
}

// Where it is in files of its own, one for each unit (-gsplit-dwarf), .debug_info has skeletons of them.
void Object::find_skeletons() const {
    constexpr int kLooked = 64;  // units to look at: those without a skeleton may be complete
    Dwarf_CU *cu = nullptr;
    uint8_t type = 0;
    for (int i = 0; (i < kLooked || !skeletons_.empty()) &&
                    dwarf_get_units(dwarf_, cu, &cu, nullptr, &type, nullptr, nullptr) == 0;
         ++i)
        if (type == DW_UT_skeleton) skeletons_.push_back(cu);
    if (skeletons_.size() >= kMostSplits) refuse("the debug information of " + debug_file_ + " is in too many files");
}

// Returns why the .dwo file of a skeleton cannot be read. libdw looks for it beside the file and where it was compiled.
std::string Object::why_no_split(Dwarf_Die *skeleton) const {
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_dwo_name, &attribute));
    if (!name) name = dwarf_formstring(dwarf_attr(skeleton, DW_AT_GNU_dwo_name, &attribute));
    if (!name) return "that of a unit without a name is missing";
    const char *directory = dwarf_formstring(dwarf_attr(skeleton, DW_AT_comp_dir, &attribute));
    const std::string beside = debug_file_.substr(0, debug_file_.rfind('/') + 1);
    for (const std::string &place : {name[0] == '/' ? "" : beside, directory ? directory + std::string("/") : ""}) {
        const int fd = open_regular((place + name).c_str());
        if (fd < 0) continue;
        Elf *const elf = elf_begin(fd, ELF_C_READ_MMAP, nullptr);
        const bool has_types = has_several_units(elf);
        elf_end(elf);
        ::close(fd);
        return name + std::string(has_types ? kTypeSections : " is of another build; keep the .dwo files");
    }
    const std::string package = path_ + ".dwp";
    if (is_file(package))
        return name + std::string(" is in ") + package +
               ", which this version of libdw does not read; keep the .dwo files";
    return name + std::string(" is missing; keep the .dwo files");
}

bool Object::split_unit(Dwarf_CU *skeleton, Dwarf_Die &unit, std::string &why) const {
    Dwarf_Die die;
    const bool found =
        dwarf_cu_info(skeleton, nullptr, nullptr, &die, &unit, nullptr, nullptr, nullptr) == 0 && unit.addr;
    Elf *const elf = found ? dwarf_getelf(dwarf_cu_getdwarf(unit.cu)) : nullptr;
    if (!found || has_several_units(elf)) {
        why = why_no_split(&die);
        return false;
    }
    // All units of a package are in one file.
    const auto number = std::find(skeletons_.begin(), skeletons_.end(), skeleton) - skeletons_.begin();
    splits_.try_emplace(dwarf_cu_getdwarf(unit.cu),
                        count_sections(elf, ".debug_cu_index") ? 0 : static_cast<uint64_t>(number));
    return true;
}

Dwarf *Object::split_file(uint64_t number) const {
    Dwarf_Die unit;
    std::string why;
    if (!dwarf() || number >= skeletons_.size() || !split_unit(skeletons_[number], unit, why)) return nullptr;
    return dwarf_cu_getdwarf(unit.cu);
}

uint64_t Object::id_of(Dwarf_Die *die) const {
    uint64_t id = dwarf_dieoffset(die);
    Dwarf_Half version = 0;
    uint8_t type = 0;
    if (Dwarf *const file = dwarf_cu_getdwarf(die->cu); file != dwarf()) {
        const auto split = splits_.find(file);
        id |= split == splits_.end() ? kInSupplement : kInSplit | split->second << kSplitShift;
    }
    if (dwarf_cu_info(die->cu, &version, &type, nullptr, nullptr, nullptr, nullptr, nullptr) == 0 && version < 5 &&
        (type == DW_UT_type || type == DW_UT_split_type))
        id |= kInTypeUnit;
    return id;
}

Dwarf *Object::supplement() const {
    return dwarf() ? supplement_ : nullptr;
}

const std::string &Object::debug_problem() const {
    dwarf();
    return debug_problem_;
}

bool Object::die_at(uint64_t id, Dwarf_Die &die) const {
    uint64_t offset = id & ~(kInSupplement | kInTypeUnit | kInSplit);
    Dwarf *in = id & kInSupplement ? supplement() : dwarf();
    if (id & kInSplit) {
        in = split_file(offset >> kSplitShift);
        offset &= UINT32_MAX;
    }
    return in && (id & kInTypeUnit ? dwarf_offdie_types : dwarf_offdie)(in, offset, &die) != nullptr;
}

const std::string &Object::debug_file() const {
    dwarf();
    return debug_file_;
}

Frame Object::frame(uint64_t pc) const {
    Dwarf_Addr bias = 0;
    const auto frame_of = [&](Dwarf_CFI *table) {
        Dwarf_Frame *frame = nullptr;
        return Frame(table && dwarf_cfi_addrframe(table, pc, &frame) == 0 ? frame : nullptr);
    };
    Frame frame = frame_of(dwfl_module_dwarf_cfi(module_, &bias));
    return frame ? std::move(frame) : frame_of(dwfl_module_eh_cfi(module_, &bias));
}

const SymbolTable &Object::symbols() const {
    if (!symbols_) symbols_ = std::make_unique<SymbolTable>(module_, go());
    return *symbols_;
}

const GoProgram &Object::go() const {
    GElf_Addr bias = 0;
    if (!go_) go_ = std::make_unique<GoProgram>(dwfl_module_getelf(module_, &bias));
    return *go_;
}

bool Object::read_code(uint64_t address, std::span<unsigned char> bytes) const {
    GElf_Addr bias = 0;
    Dwarf_Addr at = 0, unused = 0;
    if (!dwfl_module_getelf(module_, &bias)) return false;
    at = address + bias;
    Elf_Scn *section = dwfl_module_address_section(module_, &at, &unused);
    GElf_Shdr header;
    Elf_Data *data = section && gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS
                         ? elf_rawdata(section, nullptr)
                         : nullptr;
    if (!data || !data->d_buf || at > data->d_size || data->d_size - at < bytes.size()) return false;
    std::memcpy(bytes.data(), static_cast<const unsigned char *>(data->d_buf) + at, bytes.size());
    return true;
}

std::span<const unsigned char> Object::read_code_to_end(uint64_t address, std::span<unsigned char> bytes) const {
    while (!bytes.empty() && !read_code(address, bytes))
        bytes = bytes.first(bytes.size() - 1);
    return bytes;
}

std::optional<uint64_t> Object::thread_offset(uint64_t address) const {
    GElf_Addr bias = 0;
    size_t count = 0;
    Elf *elf = dwfl_module_getelf(module_, &bias);
    if (!elf || elf_getphdrnum(elf, &count) != 0) return std::nullopt;
    for (size_t i = 0; i < count; ++i) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_TLS) continue;
        const bool within = address >= header.p_vaddr && address - header.p_vaddr < header.p_memsz;
        return within && address >= header.p_memsz ? std::optional(address - header.p_vaddr) : std::nullopt;
    }
    return std::nullopt;
}

std::string_view Object::machine() const {
    GElf_Ehdr header;
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(module_, &bias);
    if (!elf || !gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64) return "";
    const arch::Arch *arch = arch::of_machine(header.e_machine);
    return arch ? arch->name : "";
}

}  // namespace tapir::dwarf
