// SPDX-License-Identifier: GPL-2.0-or-later
#include "core/kernel_dump.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "arch/c/core_machine.h"
#include "common/regular_file.h"
#include "core/piecewise.h"

namespace tapir::core {

namespace {

constexpr uint64_t kDumpPage = 4096;
constexpr size_t kBlocks = 4096;                       // that are kept: 16 MB
constexpr uint64_t kMaxParts = uint64_t{1} << 20;      // of a dump
constexpr uint64_t kMaxNotes = uint64_t{64} << 20;     // bytes
constexpr uint64_t kText = 0xffffffff80000000;         // __START_KERNEL_map of x86-64
constexpr uint64_t kAddressBits = 0x000ffffffffff000;  // of an entry of a page table
constexpr uint64_t kPresent = 1, kLarge = 1 << 7;

bool read_head(int file, Elf64_Ehdr &header) {
    return pread(file, &header, sizeof header, 0) == static_cast<ssize_t>(sizeof header);
}

constexpr char kFlattened[] = "makedumpfile";

// Recognises dumps that are not ELF files: in the format of kdump, and those that were written to a pipe.
bool is_kdump(const Elf64_Ehdr &header) {
    return std::memcmp(&header, "KDUMP   ", 8) == 0;
}

bool is_flattened(const Elf64_Ehdr &header) {
    return std::memcmp(&header, kFlattened, sizeof kFlattened) == 0;
}

bool is_elf_core(const Elf64_Ehdr &header) {
    return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_CORE &&
           header.e_phentsize == sizeof(Elf64_Phdr);
}

uint64_t padded(uint64_t size) {
    return (size + 3) & ~uint64_t{3};
}

// Returns the first note whose name `pick` accepts.
template <class Pick>
std::optional<std::string_view> find_note(std::string_view notes, const Pick &pick) {
    while (notes.size() >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr header;
        std::memcpy(&header, notes.data(), sizeof header);
        notes.remove_prefix(sizeof header);
        if (padded(header.n_namesz) > notes.size()) return std::nullopt;
        const std::string_view name = notes.substr(0, header.n_namesz);
        notes.remove_prefix(padded(header.n_namesz));
        if (header.n_descsz > notes.size()) return std::nullopt;
        if (pick(name.substr(0, name.find('\0')))) return notes.substr(0, header.n_descsz);
        notes.remove_prefix(std::min<uint64_t>(notes.size(), padded(header.n_descsz)));
    }
    return std::nullopt;
}

}  // namespace

bool KernelDump::is_one(const std::string &path) {
    const Descriptor file(open_regular(path.c_str()));
    Elf64_Ehdr header;
    if (file.get() < 0 || !read_head(file.get(), header)) return false;
    if (is_kdump(header) || is_flattened(header)) return true;
    if (!is_elf_core(header)) return false;
    uint64_t budget = kMaxNotes;
    for (uint64_t i = 0; i < header.e_phnum && header.e_phnum != PN_XNUM; ++i) {
        Elf64_Phdr part;
        if (pread(file.get(), &part, sizeof part, static_cast<off_t>(header.e_phoff + i * sizeof part)) !=
            static_cast<ssize_t>(sizeof part))
            return false;
        if (part.p_type != PT_NOTE || part.p_filesz > budget) continue;
        budget -= part.p_filesz;
        std::string notes(part.p_filesz, 0);
        const ssize_t got = pread(file.get(), notes.data(), notes.size(), static_cast<off_t>(part.p_offset));
        notes.resize(got < 0 ? 0 : static_cast<size_t>(got));
        // QEMU writes its own notes beside those of processes' cores, the kernel VMCOREINFO.
        if (find_note(notes, [](std::string_view name) { return name == "VMCOREINFO" || name == "QEMU"; })) return true;
    }
    return false;
}

Outcome<std::unique_ptr<KernelDump>> KernelDump::open(const std::string &path) {
    std::unique_ptr<KernelDump> dump(new KernelDump);
    dump->file_ = Descriptor(open_regular(path.c_str()));
    if (dump->file_.get() < 0)
        return Fault{FaultTag::CoreUnreadable, "the dump " + path + " cannot be read: " + file_error(errno),
                     errno == EACCES || errno == EPERM ? "root may read it" : ""};
    if (Outcome<void> good = dump->read_headers(); !good)
        return Fault{good.fault().tag, path + " " + good.fault().text, good.fault().hint};
    // Memory that is not touched costs nothing.
    dump->blocks_.reset(static_cast<Block *>(std::calloc(kBlocks, sizeof(Block))));
    if (!dump->blocks_) return Fault{FaultTag::CoreUnreadable, path + " cannot be read: no memory"};
    return dump;
}

bool KernelDump::read_at(void *to, uint64_t place, uint64_t length) const {
    for (uint64_t done = 0; done < length;) {
        const ssize_t got =
            pread(file_.get(), static_cast<char *>(to) + done, length - done, static_cast<off_t>(place + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += static_cast<uint64_t>(got);
    }
    return true;
}

Outcome<void> KernelDump::read_headers() {
    Elf64_Ehdr header;
    if (!read_head(file_.get(), header)) return Fault{FaultTag::CoreDamaged, "ends within its header"};
    if (is_flattened(header))
        return Fault{FaultTag::CoreForeign, "is a dump that was written to a pipe (flattened)",
                     "stap --core puts it in order, or 'makedumpfile -R'"};
    if (Outcome<void> good = is_kdump(header) ? read_kdump() : read_parts(header); !good) return good.fault();
    if (facts_.empty())
        return Fault{FaultTag::CoreEmpty, "does not identify its kernel: VMCOREINFO is missing",
                     "QEMU needs '-device vmcoreinfo', and its guest the module qemu_fw_cfg"};
    return {};
}

Outcome<void> KernelDump::read_kdump() {
    Outcome<std::unique_ptr<KdumpReader>> reader = KdumpReader::open(file_.get());
    if (!reader) return reader.fault();
    kdump_ = std::move(*reader);
    read_facts(kdump_->facts());
    return {};
}

Outcome<void> KernelDump::read_parts(const Elf64_Ehdr &header) {
    if (!is_elf_core(header)) return Fault{FaultTag::CoreNotOne, "is not a kernel dump"};
    if (header.e_machine != TAPIR_CORE_MACHINE)
        return Fault{FaultTag::CoreForeign,
                     "is of another architecture (ELF machine " + std::to_string(header.e_machine) + ")",
                     "analyse it on a machine of that architecture; of " TAPIR_CORE_MACHINES " it can be read"};
    uint64_t count = header.e_phnum;
    if (Elf64_Shdr section; count == PN_XNUM && read_at(&section, header.e_shoff, sizeof section))
        count = section.sh_info;
    uint64_t budget = kMaxNotes;
    for (uint64_t i = 0; i < std::min(count, kMaxParts); ++i) {
        Elf64_Phdr part;
        if (!read_at(&part, header.e_phoff + i * sizeof part, sizeof part))
            return Fault{FaultTag::CoreDamaged, "ends within the list of its parts"};
        if (part.p_type == PT_NOTE && part.p_filesz <= budget) {
            budget -= part.p_filesz;
            std::string notes(part.p_filesz, 0);
            if (read_at(notes.data(), part.p_offset, notes.size())) read_notes(notes);
        }
        if (part.p_type != PT_LOAD || part.p_filesz == 0) continue;
        const bool is_kernel = part.p_vaddr >> 63;
        if (is_kernel && part.p_vaddr + (part.p_filesz - 1) > part.p_vaddr)
            virtual_.push_back({part.p_vaddr, part.p_vaddr + part.p_filesz, part.p_offset});
        // /proc/kcore sets all bits of a physical address that does not exist.
        if (part.p_paddr != UINT64_MAX && part.p_paddr + part.p_filesz > part.p_paddr)
            physical_.push_back({part.p_paddr, part.p_paddr + part.p_filesz, part.p_offset});
    }
    for (std::vector<Range> *list : {&virtual_, &physical_})
        std::sort(list->begin(), list->end(), [](const Range &a, const Range &b) { return a.start < b.start; });
    return {};
}

void KernelDump::read_notes(std::string_view notes) {
    const auto text = find_note(notes, [](std::string_view name) { return name == "VMCOREINFO"; });
    if (text && facts_.empty()) read_facts(*text);
}

// "KEY=VALUE" lines
void KernelDump::read_facts(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (const size_t equals = line.find('='); equals != std::string_view::npos)
            facts_.emplace(line.substr(0, equals), line.substr(equals + 1));
    }
    const auto fact = [&](const char *key) {
        const auto found = facts_.find(key);
        return found == facts_.end() ? std::string() : found->second;
    };
    release_ = fact("OSRELEASE");
    build_id_ = fact("BUILD-ID");
    address_bits_ = kAddressBits & ~number("NUMBER(sme_mask)", 10).value_or(0);
    five_levels_ = number("NUMBER(pgtable_l5_enabled)", 10).value_or(0) != 0;
    const std::optional<uint64_t> base = number("NUMBER(phys_base)", 10);
    std::optional<uint64_t> tables = symbol("init_top_pgt");
    if (!tables) tables = symbol("swapper_pg_dir");
    if (base && tables && *tables >= kText) tables_ = *tables - kText + *base;
}

std::optional<uint64_t> KernelDump::number(const std::string &key, int base) const {
    const auto found = facts_.find(key);
    if (found == facts_.end()) return std::nullopt;
    // The kernel prints numbers with a sign.
    return found->second.starts_with('-') ? static_cast<uint64_t>(std::strtoll(found->second.c_str(), nullptr, base))
                                          : std::strtoull(found->second.c_str(), nullptr, base);
}

std::optional<uint64_t> KernelDump::symbol(const std::string &name) const {
    return number("SYMBOL(" + name + ")", 16);
}

bool KernelDump::read_physical(void *to, uint64_t address, uint32_t length) const {
    if (kdump_) return kdump_->read(to, address, length);
    auto after = std::upper_bound(physical_.begin(), physical_.end(), address,
                                  [](uint64_t at, const Range &range) { return at < range.start; });
    if (after == physical_.begin()) return false;
    --after;
    if (address >= after->end || after->end - address < length) return false;
    return read_at(to, after->place + (address - after->start), length);
}

// Walks the kernel's own page tables, of four or five levels of 512 entries.
std::optional<uint64_t> KernelDump::physical_of(uint64_t address) const {
    if (!tables_) return std::nullopt;
    uint64_t table = tables_ & address_bits_;
    for (unsigned shift = five_levels_ ? 48 : 39;; shift -= 9) {
        uint64_t entry = 0;
        if (!read_physical(&entry, table + ((address >> shift) & 511) * 8, sizeof entry) || !(entry & kPresent))
            return std::nullopt;
        const uint64_t inside = (uint64_t{1} << shift) - 1;
        if (shift == 12 || ((entry & kLarge) && shift <= 30))
            return (entry & address_bits_ & ~inside) | (address & inside);
        table = entry & address_bits_;
    }
}

const char *KernelDump::block(uint64_t page) {
    Block &block = blocks_[page / kDumpPage % kBlocks];
    if (block.page == page + 1) return block.content;
    block.page = 0;
    auto after = std::upper_bound(virtual_.begin(), virtual_.end(), page,
                                  [](uint64_t at, const Range &range) { return at < range.start; });
    bool there = false;
    if (after != virtual_.begin() && page < std::prev(after)->end && std::prev(after)->end - page >= kDumpPage) {
        const Range &range = *std::prev(after);
        there = read_at(block.content, range.place + (page - range.start), kDumpPage);
    }
    if (!there) {
        const std::optional<uint64_t> physical = physical_of(page);
        there = physical && read_physical(block.content, *physical, kDumpPage);
    }
    if (!there) return nullptr;
    block.page = page + 1;
    return block.content;
}

uint32_t KernelDump::read_some(void *to, uint64_t address, uint32_t length) {
    const uint64_t at = address % kDumpPage;
    const char *content = address >> 63 ? block(address - at) : nullptr;
    if (!content) return 0;
    const auto part = static_cast<uint32_t>(std::min<uint64_t>(length, kDumpPage - at));
    std::memcpy(to, content + at, part);
    return part;
}

bool KernelDump::read(void *dst, uint64_t address, uint32_t length) {
    const auto some = [this](char *to, uint64_t from, uint32_t most) { return read_some(to, from, most); };
    return read_pieces(some, dst, address, length);
}

int KernelDump::read_string(char *dst, uint64_t address, uint32_t cap) {
    const auto some = [this](char *to, uint64_t from, uint32_t most) { return read_some(to, from, most); };
    return read_string_pieces(some, dst, address, cap, kDumpPage);
}

}  // namespace tapir::core
