// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/code_image.h"

#include <dwarf.h>
#include <gelf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "arch/arch.h"
#include "dwarf/first_instruction.h"
#include "target/elf_sections.h"
#include "target/plt.h"

namespace tapir::target {

namespace {

constexpr uint64_t kMostCode = uint64_t{1} << 28;  // bytes that crossings() looks at

std::string_view view(std::span<const unsigned char> bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

template <class Number>
std::optional<Number> read_number(std::span<const unsigned char> bytes) {
    Number number;
    if (bytes.size() < sizeof number) return std::nullopt;
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
}

}  // namespace

std::string hex_text(uint64_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

CodeImage::CodeImage(const dwarf::Object &object) : object_(object) {
    Elf *const elf = elf_of(object);
    GElf_Ehdr header;
    if (!elf || !gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB)
        return;
    decoder_ = decode::decoder_of(header.e_machine);
    read_sections();
    if (frames_) entries_ = frames_->read();
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const unwind::Fde &a, const unwind::Fde &b) { return a.start < b.start; });
    for (const dwarf::FunctionSymbol &symbol : object.symbols().functions())
        local_symbols_ |= !symbol.exported;
}

void CodeImage::read_sections() {
    Elf *const elf = elf_of(object_);
    GElf_Ehdr file;
    size_t names = 0;
    if (!gelf_getehdr(elf, &file) || elf_getshdrstrndx(elf, &names) != 0) return;
    for_each_section(elf, [&](Elf_Scn *scn, const GElf_Shdr &header) {
        if (!(header.sh_flags & SHF_ALLOC) || header.sh_type == SHT_NOBITS) return;
        const Elf_Data *data = elf_rawdata(scn, nullptr);
        if (!data || !data->d_buf || data->d_size > ~header.sh_addr) return;
        const char *text = elf_strptr(elf, names, header.sh_name);
        const std::string_view name = text ? text : "";
        Section section;
        section.span = {header.sh_addr, header.sh_addr + data->d_size};
        section.bytes = {static_cast<const unsigned char *>(data->d_buf), data->d_size};
        section.executable = (header.sh_flags & SHF_EXECINSTR) != 0;
        section.linkage = section.executable && (name.starts_with(".plt") || name.starts_with(".iplt"));
        if (name == ".eh_frame" && !frames_)
            frames_ = std::make_unique<unwind::CfiSection>(view(section.bytes), header.sh_addr, true, file.e_machine);
        sections_.push_back(section);
    });
    std::stable_sort(sections_.begin(), sections_.end(),
                     [](const Section &a, const Section &b) { return a.span.begin < b.span.begin; });
}

const CodeImage::Section *CodeImage::section_at(uint64_t address) const {
    auto after = std::upper_bound(sections_.begin(), sections_.end(), address,
                                  [](uint64_t at, const Section &section) { return at < section.span.begin; });
    return after != sections_.begin() && (--after)->span.contains(address) ? &*after : nullptr;
}

std::span<const unsigned char> CodeImage::bytes_at(uint64_t address) const {
    const Section *section = section_at(address);
    return section ? section->bytes.subspan(address - section->span.begin) : std::span<const unsigned char>();
}

std::optional<int32_t> CodeImage::read_offset(uint64_t address) const {
    return read_number<int32_t>(bytes_at(address));
}

// Reads relocations that give a whole address; the others are of functions.
void CodeImage::read_relocations() const {
    relocated_.emplace();
    Elf *const elf = elf_of(object_);
    GElf_Ehdr file;
    if (!elf || !gelf_getehdr(elf, &file)) return;
    const arch::LinkageTable *const kind = arch::linkage_table(file.e_machine);
    for_each_section(elf, [&](Elf_Scn *section, const GElf_Shdr &header) {
        if (header.sh_type != SHT_RELA || !(header.sh_flags & SHF_ALLOC) || header.sh_entsize != sizeof(Elf64_Rela))
            return;
        Elf_Data *const data = elf_getdata(section, nullptr);
        GElf_Rela entry;
        for (int i = 0; data && gelf_getrela(data, i, &entry); ++i)
            if (!GELF_R_SYM(entry.r_info) && (!kind || GELF_R_TYPE(entry.r_info) != kind->resolver_relocation))
                relocated_->emplace(entry.r_offset, static_cast<uint64_t>(entry.r_addend));
    });
}

std::optional<uint64_t> CodeImage::read_pointer(uint64_t address) const {
    if (!relocated_) read_relocations();
    if (const auto found = relocated_->find(address); found != relocated_->end()) return found->second;
    return read_number<uint64_t>(bytes_at(address));
}

const unwind::Fde *CodeImage::frame_entry(uint64_t address) const {
    auto after = std::upper_bound(entries_.begin(), entries_.end(), address,
                                  [](uint64_t at, const unwind::Fde &entry) { return at < entry.start; });
    return after != entries_.begin() && address < (--after)->end ? &*after : nullptr;
}

std::span<const unwind::Fde> CodeImage::frame_entries(CodeSpan span) const {
    const auto below = [](const unwind::Fde &entry, uint64_t at) { return entry.start < at; };
    auto first = std::lower_bound(entries_.begin(), entries_.end(), span.begin, below);
    const auto last = std::lower_bound(first, entries_.end(), span.end, below);
    if (first != entries_.begin() && std::prev(first)->end > span.begin) --first;
    return {first, last};
}

std::optional<bool> CodeImage::as_at_entry(uint64_t address) const {
    const arch::Arch *const arch = dwarf::arch_of(object_);
    const dwarf::Frame frame = object_.frame(address);
    Dwarf_Op *ops = nullptr;
    size_t count = 0;
    if (!arch || !frame || dwarf_frame_cfa(frame.get(), &ops, &count) != 0 || count == 0) return std::nullopt;
    const uint64_t offset = ops[0].atom == DW_OP_bregx ? ops[0].number2 : ops[0].number;
    const bool by_stack_pointer = ops[0].atom == DW_OP_breg0 + arch->arguments.stack_pointer ||
                                  (ops[0].atom == DW_OP_bregx && ops[0].number == arch->arguments.stack_pointer);
    return count == 1 && by_stack_pointer && offset == arch->arguments.stack_offset;
}

std::span<const dwarf::FunctionSymbol> CodeImage::symbols_at(uint64_t address) const {
    const auto all = object_.symbols().functions();
    const auto first =
        std::lower_bound(all.begin(), all.end(), address,
                         [](const dwarf::FunctionSymbol &symbol, uint64_t at) { return symbol.address < at; });
    const auto last =
        std::find_if(first, all.end(), [&](const dwarf::FunctionSymbol &symbol) { return symbol.address != address; });
    return {first, last};
}

const dwarf::FunctionSymbol *CodeImage::symbol_of(uint64_t address) const {
    constexpr int kLooked = 16;  // those before may reach as far
    const auto all = object_.symbols().functions();
    auto after = std::upper_bound(all.begin(), all.end(), address,
                                  [](uint64_t at, const dwarf::FunctionSymbol &symbol) { return at < symbol.address; });
    for (int i = 0; i < kLooked && after != all.begin(); ++i) {
        --after;
        if (address - after->address < after->size || (after->size == 0 && i == 0)) return &*after;
    }
    return nullptr;
}

bool CodeImage::symbol_in(CodeSpan span) const {
    const auto all = object_.symbols().functions();
    const auto first =
        std::lower_bound(all.begin(), all.end(), span.begin,
                         [](const dwarf::FunctionSymbol &symbol, uint64_t at) { return symbol.address < at; });
    return first != all.end() && first->address < span.end;
}

// Where functions, or parts of them, begin or end.
std::vector<uint64_t> CodeImage::borders() const {
    std::vector<uint64_t> all;
    for (const unwind::Fde &entry : entries_) {
        all.push_back(entry.start);
        all.push_back(entry.end);
    }
    for (const dwarf::FunctionSymbol &symbol : object_.symbols().functions())
        all.push_back(symbol.address);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void CodeImage::sweep(CodeSpan span, const std::vector<uint64_t> &borders, CodeCrossings &out) const {
    auto border = std::upper_bound(borders.begin(), borders.end(), span.begin);
    const auto bytes = bytes_at(span.begin);
    const uint64_t end = span.begin + std::min<uint64_t>(span.size(), bytes.size());
    decode::Instruction in;
    for (uint64_t at = span.begin; at < end;) {
        while (border != borders.end() && *border <= at)
            ++border;
        if (!decoder_->decode_flow(bytes.subspan(at - span.begin), at, in)) {
            // Data; behind it is the next function.
            at = border == borders.end() ? end : std::max(*border, at + 1);
            continue;
        }
        at = in.end();
        if (!in.has_target) continue;
        if (in.flow == decode::Instruction::Flow::Call) {
            out.called.push_back(in.target);
            continue;
        }
        const bool within = border != borders.begin() && in.target >= *std::prev(border) &&
                            (border == borders.end() || in.target < *border);
        if (!within) out.jumps.emplace_back(in.target, in.address);
    }
}

const CodeCrossings &CodeImage::crossings() const {
    if (crossings_) return *crossings_;
    CodeCrossings &out = crossings_.emplace();
    uint64_t size = 0;
    for (const Section &section : sections_)
        if (section.executable) size += section.span.size();
    out.whole = size <= kMostCode;
    if (!decoder_ || !out.whole) return out;
    const std::vector<uint64_t> all = borders();
    for (const Section &section : sections_) {
        if (!section.executable || section.linkage) continue;
        // Between two of these borders the sweep starts afresh: the bytes before may be data.
        uint64_t begin = section.span.begin;
        for (auto next = std::upper_bound(all.begin(), all.end(), begin); begin < section.span.end; ++next) {
            const uint64_t end = next == all.end() ? section.span.end : std::min(*next, section.span.end);
            sweep({begin, end}, all, out);
            begin = end;
            if (next == all.end()) break;
        }
    }
    std::sort(out.jumps.begin(), out.jumps.end());
    std::sort(out.called.begin(), out.called.end());
    out.called.erase(std::unique(out.called.begin(), out.called.end()), out.called.end());
    return out;
}

std::string CodeImage::name_of(uint64_t address) const {
    if (!linkage_names_) {
        linkage_names_.emplace();
        for (PltEntry &entry : read_plt(object_))
            linkage_names_->emplace(entry.address, std::move(entry.name));
    }
    if (const auto found = linkage_names_->find(address); found != linkage_names_->end())
        return "'" + found->second + "'";
    if (const auto symbols = symbols_at(address); !symbols.empty())
        return "'" + object_.symbols().source_name(symbols.front()).joined + "'";
    return hex_text(address);
}

}  // namespace tapir::target
