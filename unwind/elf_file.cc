// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/elf_file.h"

#include <elf.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "common/build_id.h"
#include "unwind/bytes.h"
#include "unwind/pointer.h"

namespace tapir::unwind {

namespace {

// Exactly `bytes` of content; "" if the data are damaged or are more or less than that.
std::string inflate(std::string_view data, uint64_t bytes) {
    constexpr uint64_t kBestRatio = 1032;  // of deflate
    if (bytes > data.size() * kBestRatio) return {};
    std::string content(bytes, 0);
    uLongf size = bytes;
    const auto *source = reinterpret_cast<const Bytef *>(data.data());
    if (uncompress(reinterpret_cast<Bytef *>(content.data()), &size, source, data.size()) != Z_OK || size != bytes)
        return {};
    return content;
}

}  // namespace

std::string ElfFile::read_header() {
    Bytes in(image_->part(0, sizeof(Elf64_Ehdr)));
    const Elf64_Ehdr header = in.fixed<Elf64_Ehdr>();
    if (in.failed() || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "not an ELF file";
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return "not a 64-bit, little-endian ELF file";
    machine_ = header.e_machine;
    entry_ = header.e_entry;
    segments_at_ = header.e_phoff;
    segment_count_ = header.e_phentsize == sizeof(Elf64_Phdr) ? header.e_phnum : 0;
    sections_at_ = header.e_shoff;
    section_count_ = header.e_shentsize == sizeof(Elf64_Shdr) ? header.e_shnum : 0;
    names_index_ = header.e_shstrndx;
    return {};
}

std::string ElfFile::read_segments() {
    Bytes in(image_->part(segments_at_, uint64_t{segment_count_} * sizeof(Elf64_Phdr)));
    for (unsigned i = 0; i < segment_count_; i++) {
        const Elf64_Phdr header = in.fixed<Elf64_Phdr>();
        if (in.failed()) return "its program headers are not in the file";
        if (header.p_type == PT_LOAD)
            segments_.push_back({header.p_offset, header.p_vaddr, header.p_filesz, (header.p_flags & PF_X) != 0,
                                 std::max(header.p_memsz, header.p_filesz)});
        if (header.p_type == PT_GNU_EH_FRAME) eh_frame_header_ = header.p_vaddr;
        if (header.p_type == PT_NOTE && build_id_.empty())
            build_id_ = build_id_of_notes(image_->part(header.p_offset, header.p_filesz));
    }
    return {};
}

void ElfFile::read_sections() {
    Bytes in(image_->part(sections_at_, uint64_t{section_count_} * sizeof(Elf64_Shdr)));
    std::vector<uint32_t> names;
    for (unsigned i = 0; i < section_count_; i++) {
        const Elf64_Shdr header = in.fixed<Elf64_Shdr>();
        if (in.failed()) break;
        Section section;
        section.type = header.sh_type;
        section.flags = header.sh_flags;
        section.address = header.sh_addr;
        section.link = header.sh_link;
        section.place = header.sh_offset;
        section.bytes = header.sh_type == SHT_NOBITS ? 0 : header.sh_size;
        section.memory_bytes = header.sh_size;
        sections_.push_back(section);
        names.push_back(header.sh_name);
    }
    if (names_index_ >= sections_.size()) return;
    const std::string_view all_names = content(sections_[names_index_]);
    for (size_t i = 0; i < sections_.size(); i++) {
        Bytes text(all_names);
        text.seek(names[i]);
        sections_[i].name = text.string();
        if (sections_[i].type == SHT_NOTE && build_id_.empty()) build_id_ = build_id_of_notes(content(sections_[i]));
    }
}

std::string ElfFile::parse(Image &image) {
    image_ = &image;
    std::string why = read_header();
    if (why.empty()) why = read_segments();
    if (why.empty()) read_sections();
    return why;
}

const Section *ElfFile::section(std::string_view name) const {
    for (const Section &section : sections_)
        if (section.name == name && section.bytes) return &section;
    return nullptr;
}

std::string_view ElfFile::content(const Section &section) const {
    const std::string_view raw = image_->part(section.place, section.bytes);
    if (!(section.flags & SHF_COMPRESSED)) return raw;
    const auto [known, is_new] = inflated_.try_emplace(section.place);
    Bytes in(raw);
    const Elf64_Chdr header = in.fixed<Elf64_Chdr>();
    if (is_new && !in.failed() && header.ch_type == ELFCOMPRESS_ZLIB)
        known->second = inflate(raw.substr(in.at()), header.ch_size);
    return known->second;
}

std::optional<uint64_t> ElfFile::place_of(uint64_t address) const {
    for (const Segment &segment : segments_)
        if (address - segment.address < segment.bytes && address >= segment.address)
            return address - segment.address + segment.place;
    return std::nullopt;
}

std::optional<uint64_t> ElfFile::loaded_place_of(uint64_t address) const {
    if (const std::optional<uint64_t> place = place_of(address)) return place;
    for (const Segment &segment : segments_) {
        if (address < segment.address || address - segment.address >= segment.memory_bytes) continue;
        const uint64_t place = address - segment.address + segment.place;
        const bool taken = std::any_of(segments_.begin(), segments_.end(), [&](const Segment &other) {
            return place >= other.place && place - other.place < other.bytes;
        });
        return taken ? std::nullopt : std::optional(place);
    }
    return std::nullopt;
}

uint64_t ElfFile::loaded_end() const {
    uint64_t end = 0;
    for (const Segment &segment : segments_)
        end = std::max(end, segment.place + segment.memory_bytes);
    return end;
}

std::string_view ElfFile::content_at(uint64_t address, uint64_t most) const {
    for (const Segment &segment : segments_) {
        if (address < segment.address || address - segment.address >= segment.bytes) continue;
        const uint64_t skipped = address - segment.address;
        return image_->part(segment.place + skipped, std::min(segment.bytes - skipped, most));
    }
    return {};
}

std::string_view ElfFile::eh_frame_by_segment(uint64_t &address) const {
    if (!eh_frame_header_) return {};
    Bytes in(content_at(eh_frame_header_));
    const uint8_t version = in.u8(), encoding = in.u8();
    in.skip(2);
    PointerBase base;
    base.content = eh_frame_header_;
    base.data = eh_frame_header_;
    const std::optional<uint64_t> pointer = read_pointer(in, encoding, base);
    if (version != 1 || !pointer) return {};
    address = *pointer;
    return content_at(address);
}

std::string_view ElfFile::debug_link() const {
    const Section *link = section(".gnu_debuglink");
    return link ? Bytes(content(*link)).string() : std::string_view();
}

std::string_view symbol_name(std::string_view names, uint32_t at) {
    const std::string_view rest = at < names.size() ? names.substr(at, kLongestName) : std::string_view();
    const size_t end = rest.find('\0');
    if (end == std::string_view::npos) return {};
    const std::string_view name = rest.substr(0, end);
    return name.substr(0, name.find('@', 1));
}

}  // namespace tapir::unwind
